import { z } from 'zod';
import { hashBytes } from '../lib/hash.ts';
import { ok, type Result, usage } from '../lib/result.ts';
import type { Engine, NewRow } from './engine.ts';
import { commit, isInside, nameWork, parseQuietly, streams } from './job.ts';
import { type CarriedPlace, placeSchema, readPlace, relocateLog } from './places.ts';
import { openRow, type SealedRow } from './sealed-rows.ts';

/** A worktree of an agent below, with its files as those of the checkout. */
const worktreeSchema = z.object({
  slug: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,120}$/),
  base: commit,
  head: commit,
  tip: commit,
  carries: z.literal(true).optional(),
  agentId: z.string().nullable(),
  agentName: z.string().optional(),
  title: z.string().optional(),
  stands: z.string().refine(isInside, 'expected a path inside the worktree').optional(),
  workspace: z.string().refine(isInside, 'expected a path inside the worktree').optional(),
  createdAt: z.string(),
});

export type CarriedWorktree = z.output<typeof worktreeSchema>;

/** What a job has done, in the order in which it was stored. */
const stepSchema = z.discriminatedUnion('kind', [
  /** The next part of a file of the session. */
  z.object({ kind: z.literal('log'), file: z.string(), data: z.string() }),
  z.object({ kind: z.literal('piece'), data: z.string() }),
  /** The pieces before it are a bundle with these commits. `tip` has the files, `head` what the agent committed. */
  z.object({
    kind: z.literal('files'),
    head: commit,
    tip: commit,
    worktrees: z.array(worktreeSchema).max(1000).optional(),
  }),
  /** Where the paths in the conversation lead. */
  placeSchema,
  /** All since the last of these belongs together: conversation and files of the same moment. Without it, none of it counts. */
  z.object({ kind: z.literal('end') }),
]);

export type Step = z.output<typeof stepSchema>;

/** A step as it is stored: whole, with a key of its own. Two workers never have the same epoch. */
export function formatSteps(steps: readonly Step[], epoch: number, ordinal: number): NewRow[] {
  return [...steps, { kind: 'end' } as const].map((step, at) => {
    const body = JSON.stringify(step);
    return {
      stream: streams.steps,
      key: `${epoch}-${ordinal}-${at}-${hashBytes(body).slice(0, 12)}`,
      body,
    };
  });
}

/** The work of a job so far. */
export interface JobState {
  /** As its last holder has them: each one makes those before it lead to its own place. */
  logs: Map<string, string>;
  /** Bundles in the order in which they must be unpacked. */
  bundles: string[][];
  files: CarriedFiles | undefined;
  place: CarriedPlace | undefined;
}

export interface CarriedFiles {
  head: string;
  tip: string;
  worktrees: CarriedWorktree[];
}

const pageRows = 8;

/**
 * Reads the whole of it. A worker continues only what workers that it trusts have stored: rows of another signer are a problem, since
 * what they did would be done twice. Unsigned rows are nobody's.
 */
export async function readJobState(
  engine: Pick<Engine, 'read'>,
  { jobId, submitter }: { jobId: string; submitter: string },
  accepts: (signer: string) => boolean,
  /** Only those of some rows. */
  isWanted: (row: SealedRow) => boolean = () => true,
): Promise<Result<JobState>> {
  const reader = new StateReader();
  for (let after = 0; ; ) {
    const rows = await engine.read(jobId, streams.steps, after, pageRows);
    if (!rows.ok) return rows;
    for (const { seq, body } of rows.value) {
      after = seq;
      const row = openRow(nameWork(jobId, submitter), streams.steps, body);
      if (!row) continue;
      if (!accepts(row.signer))
        return usage(
          `The job ${jobId} was continued by a worker whose key ${row.signer} is not one that this worker trusts.`,
          'To accept it, run "cadre worker trust KEY" on this worker.',
        );
      if (isWanted(row)) reader.take(row.key, row.body);
    }
    if (rows.value.length === 0) return ok(reader.state);
  }
}

class StateReader {
  readonly state: JobState = { logs: new Map(), bundles: [], files: undefined, place: undefined };
  readonly #seen = new Set<string>();
  #epoch = '';
  /** Not whole yet. */
  #pending: Step[] = [];
  #pieces: string[] = [];

  take(key: string, body: string): void {
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    const epoch = key.slice(0, key.indexOf('-'));
    // What a worker had begun to store when it was killed.
    if (epoch !== this.#epoch) this.#pending = [];
    this.#epoch = epoch;
    const step = stepSchema.safeParse(parseQuietly(body));
    // A row of a later version: it cannot be understood, and is not needed.
    if (!step.success) return;
    if (step.data.kind !== 'end') return void this.#pending.push(step.data);
    for (const one of this.#pending.splice(0)) this.#apply(one);
  }

  #apply(step: Step): void {
    const { state } = this;
    if (step.kind === 'log') state.logs.set(step.file, (state.logs.get(step.file) ?? '') + step.data);
    if (step.kind === 'place') this.#move(step);
    if (step.kind === 'piece') this.#pieces.push(step.data);
    if (step.kind !== 'files') return;
    if (this.#pieces.length > 0) state.bundles.push(this.#pieces);
    this.#pieces = [];
    state.files = { head: step.head, tip: step.tip, worktrees: step.worktrees ?? [] };
  }

  /** As the holder did with what it was given, before it added to it. */
  #move({ kind: _, ...to }: Extract<Step, { kind: 'place' }>): void {
    const { state } = this;
    for (const [file, text] of state.logs)
      state.logs.set(file, relocateLog(text, state.place ?? readPlace(text), to));
    state.place = to;
  }
}
