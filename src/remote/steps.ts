import { z } from 'zod';
import { hashBytes } from '../lib/hash.ts';
import { ok, type Result } from '../lib/result.ts';
import type { Engine, NewRow } from './engine.ts';
import { parseQuietly, streams } from './job.ts';

/**
 * What a job has done, in the order in which it was stored. Rows that belong together are appended together, so the next worker finds the
 * conversation and the files of the same moment.
 */
const stepSchema = z.discriminatedUnion('kind', [
  /** The next part of a file of the session. */
  z.object({ kind: z.literal('log'), file: z.string(), data: z.string() }),
  /** A call is about to run. Whether it did is not known if nothing follows. */
  z.object({ kind: z.literal('begun'), toolUseId: z.string() }),
  z.object({ kind: z.literal('piece'), data: z.string() }),
  /** All pieces before it, since the last of these, are a bundle with these commits. `tip` has the files, `head` what the agent committed. */
  z.object({ kind: z.literal('files'), head: z.string(), tip: z.string() }),
  /** The directory that the paths in the conversation are in. */
  z.object({ kind: z.literal('place'), cwd: z.string() }),
]);

export type Step = z.output<typeof stepSchema>;

/** A key of its own for each: two workers never write under the same epoch. */
export function formatSteps(steps: readonly Step[], ordinal: string): NewRow[] {
  return steps.map((step, at) => {
    const body = JSON.stringify(step);
    return { stream: streams.steps, key: `${ordinal}-${at}-${hashBytes(body).slice(0, 12)}`, body };
  });
}

const pageRows = 8;

/** All steps after a cursor. */
export async function* readSteps(engine: Engine, jobId: string): AsyncGenerator<Result<Step>> {
  for (let after = 0; ; ) {
    const rows = await engine.read(jobId, streams.steps, after, pageRows);
    if (!rows.ok) {
      yield rows;
      return;
    }
    for (const { body } of rows.value) {
      const step = stepSchema.safeParse(parseQuietly(body));
      // A row of a later version: it cannot be understood, and is not needed.
      if (step.success) yield ok(step.data);
    }
    const last = rows.value.at(-1);
    if (!last) return;
    after = last.seq;
  }
}

/** The work of a job so far. */
export interface JobState {
  logs: Map<string, string>;
  begun: string[];
  /** Bundles in the order in which they must be unpacked. */
  bundles: string[][];
  files: { head: string; tip: string } | undefined;
  cwd: string | undefined;
  /** How many workers have begun it. */
  begunBy: number;
}

export async function readJobState(engine: Engine, jobId: string): Promise<Result<JobState>> {
  const state: JobState = {
    logs: new Map(),
    begun: [],
    bundles: [],
    files: undefined,
    cwd: undefined,
    begunBy: 0,
  };
  let pieces: string[] = [];
  for await (const found of readSteps(engine, jobId)) {
    if (!found.ok) return found;
    const step = found.value;
    if (step.kind === 'log') state.logs.set(step.file, (state.logs.get(step.file) ?? '') + step.data);
    if (step.kind === 'begun') state.begun.push(step.toolUseId);
    if (step.kind === 'place') {
      state.cwd = step.cwd;
      state.begunBy += 1;
      // Pieces of a worker that ended before it had stored all of them.
      pieces = [];
    }
    if (step.kind === 'piece') pieces.push(step.data);
    if (step.kind !== 'files') continue;
    if (pieces.length > 0) state.bundles.push(pieces);
    pieces = [];
    state.files = { head: step.head, tip: step.tip };
  }
  return ok(state);
}
