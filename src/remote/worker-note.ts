import { z } from 'zod';
import type { Clock } from '../lib/clock.ts';
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
  host: z.string(),
  /** Its load average over a minute, per processor. */
  load: z.number(),
});

export type WorkerView = z.output<typeof noteSchema> & { name: string };

export interface NotedWorker {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly name: string;
  readonly labels: readonly string[];
  readonly slots: number;
  readonly signal: AbortSignal;
  /** The machine, as others know it, and how busy it is. */
  machine(): { host: string; load: number };
}

/** Tells all that this worker is alive, and what it does: now and then, and when that changes. */
export function keepWorkerNote(worker: NotedWorker, countRunning: () => number) {
  const { engine, clock, name } = worker;
  let isOver = false;
  let cancel = () => {};
  let tail = Promise.resolve();
  const tell = () => {
    if (isOver) return;
    cancel();
    cancel = clock.after(workerNoteMs / 3, tell);
    tail = tail.then(async () => {
      await engine.note('worker', name, formatWorker(worker, countRunning()), workerNoteMs);
    });
  };
  tell();
  return {
    tell,
    async stop() {
      isOver = true;
      cancel();
      await tail;
      await engine.note('worker', name, '', 1);
    },
  };
}

function formatWorker({ labels, slots, signal, machine }: NotedWorker, running: number): string {
  const state = signal.aborted ? 'draining' : 'ready';
  return JSON.stringify({ labels, slots, running, state, version, ...machine() });
}

/** Each worker takes jobs that are for it alone. No label that a user gives looks like this. */
export function nameWorkerLabel(name: string): string {
  return `worker ${name}`;
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
