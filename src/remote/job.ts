import { z } from 'zod';
import type { Clock } from '../lib/clock.ts';
import { ok, type Result, usage } from '../lib/result.ts';
import { type CostReport, type Outcome, permissionModes } from '../protocol/index.ts';
import type { Engine } from './engine.ts';
import { isSignedBy, type JobKey } from './keys.ts';

/** The whole name of a commit: git would take other text for an option or a reference. */
export const commit = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/);

const ruleSchema = z.object({
  behaviour: z.enum(['deny', 'ask']),
  tool: z.string().max(4096),
  specifier: z.string().max(4096).optional(),
  /** A specifier that begins with a slash is relative to this directory of the repository. */
  within: z.string().max(4096).refine(isInside, 'expected a path inside the repository').optional(),
});

export type OrderRule = z.output<typeof ruleSchema>;

/** A definition of an agent, as its fields. */
const definitionSchema = z.record(z.string(), z.unknown());

/** A whole session that was moved: its conversation and agents are in the steps, and what its user does are commands of the job. */
const movedSchema = z.object({
  /** The definition that its lead runs as. */
  main: z.string().max(200).optional(),
  /** Types of agents that the worker cannot know. */
  definitions: z.record(z.string().max(200), definitionSchema),
  systemPrompt: z.string().max(200_000).optional(),
  appendSystemPrompt: z.string().max(200_000).optional(),
});

/** One agent for a worker, or one session: what to run and from where. The prompt and later messages are letters of the job. */
const orderSchema = z.object({
  format: z.literal(1),
  id: z.string().regex(/^[A-Za-z0-9_-]{1,120}$/),
  /** The session that it will be on whatever worker runs it. */
  sessionId: z.uuid(),
  /** When it was submitted, by the submitter's clock. */
  submittedAt: z.number().int().nonnegative(),
  description: z.string().max(1000),
  /** The stream of bundles that has the commit. */
  repository: z.string().regex(/^[A-Za-z0-9_-]{1,120}$/),
  base: commit,
  /** Where in the repository it works, from its top. */
  stands: z.string().max(4096).refine(isInside, 'expected a path inside the repository'),
  agent: z.object({
    type: z.string().max(200),
    /** Fields of its definition, where the worker cannot know the type. */
    definition: definitionSchema.optional(),
  }),
  moved: movedSchema.optional(),
  model: z.string().max(200),
  /** What the submitter's session denies or asks about. The worker adds it to its own rules. */
  rules: z.array(ruleSchema).max(2000).optional(),
  permissionMode: z.enum(permissionModes),
  /** Whose jobs it is among, for whoever enqueues it once more. */
  label: z.string().max(200).optional(),
  maxTurns: z.number().int().positive().optional(),
  maxTokens: z.number().int().positive().optional(),
  maxBudgetUsd: z.number().positive().optional(),
});

export type JobOrder = z.output<typeof orderSchema>;

/** Jobs that name no label go to workers with this one. */
export const defaultLabel = 'default';

const envelopeSchema = z.object({ order: z.string(), key: z.string(), signature: z.string() });

/** For one purpose: a signature of an order can be used for nothing else. */
const purpose = 'cadre job 1\n';

export async function storeOrder(engine: Engine, order: JobOrder, key: JobKey): Promise<Result<void>> {
  const text = JSON.stringify(order);
  const body = JSON.stringify({ order: text, key: key.name, signature: key.sign(purpose + text) });
  const stored = await engine.append(order.id, [{ stream: streams.order, key: 'order', body }]);
  return stored.ok ? ok(undefined) : stored;
}

/** An order, and the key that signed it: letters of no other key are read. */
export interface SignedOrder {
  order: JobOrder;
  submitter: string;
}

/** An older order is not run, so that nobody can have it run again long after. A session that was moved may stay away for longer. */
export const maxOrderMs = 30 * 24 * 3_600_000;

/** The order of a job, if a known key signed it for this job: other ones are a `usage` problem. `undefined`: its rows were removed. */
export async function readOrder(
  engine: Engine,
  jobId: string,
  known: ReadonlySet<string>,
  clock: Clock,
): Promise<Result<SignedOrder | undefined>> {
  const rows = await engine.read(jobId, streams.order, 0, 1);
  if (!rows.ok) return rows;
  const [row] = rows.value;
  if (!row) return ok(undefined);
  const envelope = envelopeSchema.safeParse(parseQuietly(row.body));
  if (!envelope.success) return refuse(jobId, 'its order is damaged');
  const { order: text, key, signature } = envelope.data;
  if (!known.has(key)) return refuse(jobId, `its key ${key} is not one that this worker trusts`);
  if (!isSignedBy(key, purpose + text, signature)) return refuse(jobId, 'its signature does not match');
  const order = orderSchema.safeParse(parseQuietly(text));
  if (!order.success) return refuse(jobId, `its order is not valid: ${z.prettifyError(order.error)}`);
  if (order.data.id !== jobId) return refuse(jobId, 'its order is for another job');
  if (!order.data.moved && clock.now() - order.data.submittedAt > maxOrderMs)
    return refuse(
      jobId,
      `it was submitted on ${new Date(order.data.submittedAt).toISOString().slice(0, 10)}`,
    );
  return ok({ order: order.data, submitter: key });
}

/** The streams of a job. Rows are signed by their writer; those of the worker that has the job are fenced by its epoch. */
export const streams = {
  order: 'order',
  /** From workers that do not accept the order: why. */
  refusals: 'refusals',
  /** To the agent, from the submitter. */
  letters: 'letters',
  answers: 'answers',
  stop: 'stop',
  /** To a session that was moved, from its user; and what became of each. */
  commands: 'commands',
  replies: 'replies',
  /** Asks the worker to end at the next step: somebody else takes the one after it. */
  recall: 'recall',
  /** What a session is when a worker begins with it, for those who look at it. */
  views: 'views',
  /** From the worker: the transcript and the files, step by step. */
  steps: 'steps',
  events: 'events',
  questions: 'questions',
  result: 'result',
} as const;

/**
 * What workers sign their rows about: the job of this submitter. Whoever puts an order of his own in place of another's gets work that
 * nobody takes for the other's.
 */
export function nameWork(jobId: string, submitter: string): string {
  return `${jobId} ${submitter}`;
}

/** From a worker that does not accept an order. */
export const refusalSchema = z.object({ worker: z.string(), reason: z.string() });

/** How a job ended: the one row of its stream `result`. Without a cost nothing was spent. */
export interface JobResult {
  outcome: Outcome;
  cost?: CostReport;
}

/** Workers listen for this one; for a job there is its id. */
export const jobsBell = 'jobs';

/** Rung when a worker has stored something of a job, for its submitter. */
export function nameNewsBell(jobId: string): string {
  return `${jobId} news`;
}

function refuse(jobId: string, reason: string): Result<never> {
  return usage(
    `The job ${jobId} is not accepted: ${reason}.`,
    'To accept its submitter, run "cadre worker trust KEY" on the worker.',
  );
}

/** A plain path below the repository's top, or the top itself. */
export function isInside(path: string): boolean {
  if (path === '') return true;
  const parts = path.split('/');
  return !/[\0\\]/.test(path) && parts.every((part) => !['', '.', '..'].includes(part) && !isGit(part));
}

/** Git's own directory, in any spelling that a file system may take for it. */
function isGit(part: string): boolean {
  return /^\.git[. ]*$|^git~\d+[. ]*$/i.test(part);
}

export function parseQuietly(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
