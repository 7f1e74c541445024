import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Clock } from '../lib/clock.ts';
import { ensurePrivateDirectory, writeAtomic } from '../lib/files/atomic.ts';
import { listNames } from '../lib/files/list-names.ts';
import { readBoundedText } from '../lib/files/read-bounded.ts';
import { ok, type Result } from '../lib/result.ts';
import type { Engine, NewRow } from './engine.ts';
import { maxOrderMs, nameWork, parseQuietly, type SignedOrder, streams } from './job.ts';
import { openRow } from './sealed-rows.ts';

/**
 * The last that the workers of a home have stored of each job. A server that lost it, or that was told to hand the job out once more,
 * would have them do again what they have done.
 */
export interface JobMemory {
  note(order: SignedOrder, rows: readonly NewRow[]): void;
  /** Whether it is still on the engine. True for a job that no worker of this home has had. */
  isKept(order: SignedOrder, engine: Pick<Engine, 'read'>, signer: string): Promise<Result<boolean>>;
}

const noteSchema = z.object({ stream: z.string(), key: z.string(), isMoved: z.literal(true).optional() });

const remembered: ReadonlySet<string> = new Set([streams.steps, streams.result]);
const maxNoteBytes = 4096;
const pageRows = 8;
const dayMs = 24 * 3_600_000;

export function openJobMemory(home: string, clock: Clock): JobMemory {
  const directory = join(home, 'remote', 'jobs');
  let forgottenAt = Number.NEGATIVE_INFINITY;
  return {
    note({ order: { id, moved } }, rows) {
      const last = rows.findLast(({ stream }) => remembered.has(stream));
      if (!last || !ensurePrivateDirectory(directory).ok) return;
      if (clock.monotonic() - forgottenAt > dayMs) {
        forgottenAt = clock.monotonic();
        forgetOld(directory, clock.now());
      }
      const { stream, key } = last;
      // Where the disk is full the job continues: the engine has it.
      writeAtomic(join(directory, id), JSON.stringify({ stream, key, ...(moved ? { isMoved: true } : {}) }));
    },
    async isKept({ order: { id }, submitter }, engine, signer) {
      const note = readNote(join(directory, id));
      if (!note) return ok(true);
      for (let after = 0; ; ) {
        const rows = await engine.read(id, note.stream, after, pageRows);
        if (!rows.ok) return rows;
        for (const { seq, body } of rows.value) {
          after = seq;
          const row = openRow(nameWork(id, submitter), note.stream, body);
          if (row?.signer === signer && row.key === note.key) return ok(true);
        }
        if (rows.value.length === 0) return ok(false);
      }
    },
  };
}

function readNote(path: string): z.output<typeof noteSchema> | undefined {
  const text = readBoundedText(path, maxNoteBytes, { refusesLinks: true });
  const note = noteSchema.safeParse(parseQuietly(text ?? ''));
  return note.success ? note.data : undefined;
}

/** An order that is as old is not begun, and not continued. A session that was moved may be. */
function forgetOld(directory: string, now: number): void {
  for (const name of listNames(directory)) {
    const path = join(directory, name);
    const { mtimeMs = now } = statSync(path, { throwIfNoEntry: false }) ?? {};
    if (now - mtimeMs > maxOrderMs + dayMs && !readNote(path)?.isMoved) rmSync(path, { force: true });
  }
}
