import { join } from 'node:path';
import { z } from 'zod';
import { parseJson } from '../lib/fields/parse-json.ts';
import { ensurePrivateDirectory, writeAtomic } from '../lib/files/atomic.ts';
import { readSmallText, removeQuietly } from '../lib/files/small-files.ts';
import { nameByProcess } from '../lib/files/temporary-names.ts';
import type { Machine } from '../lib/machine.ts';
import type { Result } from '../lib/result.ts';
import { efforts } from '../protocol/effort.ts';
import type { TeamPlace } from './team-place.ts';

const text = z.string();
const schema = z.object({
  format: z.literal(1),
  sessionId: text,
  /** Of the message that brings it its task. */
  taskUuid: text,
  request: z.object({
    toolUseId: text,
    description: text,
    prompt: text,
    type: text.optional(),
    model: text.optional(),
    effort: z.union([z.enum(efforts), z.number()]).optional(),
    isolation: z.enum(['worktree', 'shared']).optional(),
  }),
});

/**
 * What a member in a pane was started for. It is written before the pane opens, and removed by the member when its own transcript has the
 * task: a process that is killed in between has begun nothing, and is started again with it.
 */
export type StartRecord = z.infer<typeof schema>;

const maxStartBytes = 5_000_000;

export function writeStart(
  place: TeamPlace,
  name: string,
  start: StartRecord,
  { disk }: Machine,
): Result<void> {
  const ready = ensurePrivateDirectory(join(place.directory, 'starts'), disk);
  if (!ready.ok) return ready;
  const content = `${JSON.stringify(start)}\n`;
  return writeAtomic(locateStart(place, name), content, 0o600, `${nameByProcess()}.tmp`, undefined, disk);
}

/** Undefined where the member has its task. */
export function readStart(
  place: TeamPlace,
  { name, sessionId }: { name: string; sessionId: string },
  { disk }: Machine,
): StartRecord | undefined {
  const found = schema.safeParse(
    parseJson(readSmallText(locateStart(place, name), maxStartBytes, disk) ?? ''),
  );
  return found.success && found.data.sessionId === sessionId ? found.data : undefined;
}

export function removeStart(place: TeamPlace, name: string, { disk }: Machine): void {
  removeQuietly(locateStart(place, name), disk);
}

function locateStart({ directory }: TeamPlace, name: string): string {
  return join(directory, 'starts', `${name}.json`);
}
