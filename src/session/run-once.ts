import { ok, type Problem, type Result } from '../lib/result.ts';
import {
  type AgentEvent,
  addUsage,
  type Message,
  type Model,
  noUsage,
  type Outcome,
} from '../protocol/index.ts';
import { openSession } from './open.ts';
import { checkKinds, type WantedValue } from './option-kinds.ts';
import type { SessionOptions } from './options.ts';
import { failedOutcome } from './run-facts.ts';
import type { Session } from './session.ts';
import { chooseWhole } from './whole-outcome.ts';

/** One agent, one prompt, from a program. Options that are not listed here are as in `SessionOptions`. */
export interface RunOptions extends Omit<SessionOptions, 'resume' | 'fork' | 'inherited'> {
  prompt: string;
  model?: string | Model;
  /** Continues with the agent of an earlier run: its `agentId`. */
  agentId?: string;
  /** Begins with this conversation, at the price of a cache hit. It must end where a user would speak. */
  forkMessages?: readonly Message[];
  /** Ends the run; the outcome holds what was done by then. */
  signal?: AbortSignal;
  /** Limits for the run, with all that it starts. */
  budget?: { usd?: number; tokens?: number };
}

export interface RunResult {
  text: string;
  /** Of this run, with all that it started. */
  tokens: { input: number; output: number };
  outcome: Outcome;
  /** Continues with the same agent. */
  agentId: string;
  costUsd: number | null;
  durationMs: number;
}

/** The options that a session does not have; it checks the others. */
const runKinds: Readonly<Record<Exclude<keyof RunOptions, keyof SessionOptions>, WantedValue>> = {
  prompt: 'text',
  agentId: 'text',
  forkMessages: 'messages',
  signal: { having: ['aborted', 'addEventListener'] },
  budget: 'budget',
};

/** Runs one agent and yields its events. Prints nothing; a failure is in the result. */
export async function* runAgent(options: RunOptions): AsyncGenerator<AgentEvent, RunResult> {
  if (typeof options?.prompt !== 'string' || options.prompt.trim() === '')
    return notOpened({ kind: 'usage', message: 'The option prompt: expected a string.' });
  const kinds = checkKinds(options, runKinds);
  if (!kinds.ok) return notOpened(kinds.problem);
  const opened = await openSession(sessionOptions(options));
  if (!opened.ok) return notOpened(opened.problem);
  const session = opened.value;
  const stop = () => {
    session.send({ type: 'interrupt' });
    for (const task of session.tasks()) session.send({ type: 'stop_task', taskId: task.id });
  };
  options.signal?.addEventListener('abort', stop, { once: true });
  const before = countTokens(session);
  const events = session.events();
  const uuid = crypto.randomUUID();
  const sent = session.send({ type: 'prompt', content: options.prompt, uuid, delivery: 'queue' });
  if (options.signal?.aborted) stop();
  let end: RunEnded | undefined;
  try {
    if (sent.ok)
      for await (const event of events) {
        yield event;
        if (event.type === 'run_ended' && event.agentId === null && (end || event.prompts.includes(uuid)))
          end = joinRuns(end, event);
        // Its own background agents are part of the run: their ends wake it again.
        const isIdle = event.type === 'state_changed' && event.state === 'idle';
        if (end && (isIdle || options.signal?.aborted)) break;
      }
    const after = countTokens(session);
    return {
      text: end?.outcome.text ?? '',
      tokens: { input: after.input - before.input, output: after.output - before.output },
      outcome: end?.outcome ?? {
        kind: 'killed',
        text: '',
        turns: 0,
        usage: noUsage,
        reason: 'The session was closed.',
      },
      agentId: session.id,
      costUsd: readCost(session),
      durationMs: end?.durationMs ?? 0,
    };
  } finally {
    options.signal?.removeEventListener('abort', stop);
    await session.close();
  }
}

/** The same, folded into its result. */
export async function runOnce(options: RunOptions): Promise<RunResult> {
  const running = runAgent(options);
  for (;;) {
    const step = await running.next();
    if (step.done) return step.value;
  }
}

function sessionOptions(options: RunOptions): SessionOptions {
  const { prompt: _, agentId, forkMessages, signal: __, budget, ...rest } = options;
  return {
    ...rest,
    ...(agentId === undefined ? {} : { resume: { from: 'id', id: agentId } }),
    ...(forkMessages === undefined ? {} : { inherited: forkMessages }),
    ...(budget?.usd === undefined ? {} : { maxBudgetUsd: budget.usd }),
    ...(budget?.tokens === undefined ? {} : { maxTokens: budget.tokens }),
  };
}

function notOpened(problem: Problem): RunResult {
  const outcome = failedOutcome(problem);
  return { text: '', tokens: { input: 0, output: 0 }, outcome, agentId: '', costUsd: 0, durationMs: 0 };
}

function countTokens(session: Session): { input: number; output: number } {
  return session.cost().rows.reduce(
    (sum, { usage }) => ({
      input:
        sum.input + usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens,
      output: sum.output + usage.output_tokens,
    }),
    { input: 0, output: 0 },
  );
}

function readCost(session: Session): number | null {
  const { totalMicroUsd } = session.cost();
  return totalMicroUsd === null ? null : totalMicroUsd / 1_000_000;
}

/**
 * A new session that continues with a copy of this one's conversation. The old one stays as it is, open or not; the
 * caller closes it. `options` are those that the old one was opened with.
 */
export async function forkSession(session: Session, options: SessionOptions): Promise<Result<Session>> {
  const { transcriptPath } = session.info();
  const isStored = transcriptPath !== null && session.messages().length > 0;
  // A session that is not stored passes its conversation on directly.
  const conversation: Partial<SessionOptions> = isStored
    ? { resume: { from: 'id', id: session.id }, fork: true }
    : { inherited: session.messages().map(({ message }) => message) };
  return openSession({ ...asNow(session, options), ...conversation });
}

/**
 * A new session without a conversation, in place of this one, which is closed and can be resumed. Choices made since
 * the start stay: model and permission mode.
 */
export async function clearSession(session: Session, options: SessionOptions): Promise<Result<Session>> {
  const opened = await openSession(asNow(session, options));
  if (!opened.ok) return opened;
  await session.close();
  return ok(opened.value);
}

function asNow(session: Session, options: SessionOptions): SessionOptions {
  const { resume: _, fork: __, sessionId: ___, inherited: ____, worktree: _____, ...rest } = options;
  const { model, permissionMode, cwd } = session.info();
  const named = typeof options.model === 'object' ? options.model : model;
  return { ...rest, cwd, model: named, permissionMode };
}

type RunEnded = Extract<AgentEvent, { type: 'run_ended' }>;

/** The runs of one prompt, as one: the end of background work made the agent speak again. */
function joinRuns(earlier: RunEnded | undefined, last: RunEnded): RunEnded {
  if (!earlier) return last;
  const texts = [earlier.outcome.text, last.outcome.text].filter((text) => text !== '');
  const whole = chooseWhole([earlier.outcome, last.outcome]);
  return {
    ...last,
    outcome: {
      ...(whole ?? last.outcome),
      text: texts.join('\n\n'),
      turns: earlier.outcome.turns + last.outcome.turns,
      usage: addUsage(earlier.outcome.usage, last.outcome.usage),
    },
    durationMs: earlier.durationMs + last.durationMs,
  };
}
