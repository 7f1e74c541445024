import { z } from 'zod';
import { ok, type Result } from '../lib/result.ts';
import { version } from '../lib/version.ts';
import type { Engine } from './engine.ts';
import { parseQuietly } from './job.ts';

/** A worker that has said nothing for this long is not listed. */
export const workerNoteMs = 30_000;

const noteSchema = z.object({
  labels: z.array(z.string()),
  slots: z.number(),
  running: z.number(),
  state: z.enum(['ready', 'draining']),
  version: z.string(),
});

export type WorkerView = z.output<typeof noteSchema> & { name: string };

export function formatWorker(
  { labels, slots, signal }: { labels: readonly string[]; slots: number; signal: AbortSignal },
  running: number,
): string {
  return JSON.stringify({ labels, slots, running, state: signal.aborted ? 'draining' : 'ready', version });
}

export async function listWorkers(engine: Engine): Promise<Result<WorkerView[]>> {
  const notes = await engine.notes('worker');
  if (!notes.ok) return notes;
  const views = notes.value.flatMap(({ id, body }) => {
    const note = noteSchema.safeParse(parseQuietly(body));
    return note.success ? [{ name: id, ...note.data }] : [];
  });
  return ok(views.sort((a, b) => (a.name < b.name ? -1 : 1)));
}
