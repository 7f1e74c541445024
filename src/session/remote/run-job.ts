import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { GivenAgents } from '../../agents/definitions/given-agents.ts';
import { keepDefined } from '../../lib/fields/keep-defined.ts';
import { failure, ok, type Problem, type Result } from '../../lib/result.ts';
import { remind } from '../../lib/text/harness-tags.ts';
import {
  type AgentEvent,
  type Answer,
  type CostReport,
  noUsage,
  type Outcome,
  type PermissionMode,
  type Question,
} from '../../protocol/index.ts';
import type { Engine } from '../../remote/engine.ts';
import { type JobOrder, parseQuietly, streams } from '../../remote/job.ts';
import { openSignedCursor, parseLetter } from '../../remote/letters.ts';
import type { ClaimedJob, JobEnd } from '../../remote/serve-worker.ts';
import { type JobState, readJobState } from '../../remote/steps.ts';
import type { SessionLayout } from '../../store/layout.ts';
import { openSession } from '../open.ts';
import type { SessionOptions } from '../options.ts';
import type { Session } from '../session.ts';
import type { Surroundings } from '../surroundings.ts';
import { isAgentLog, leadLog, StepCarrier } from './carry-steps.ts';
import { type JobCheckout, openCheckout } from './checkout.ts';
import { renderOrderRules } from './job-rules.ts';

/** What a worker gives to every job. */
export interface JobPlace {
  readonly engine: Engine;
  readonly around: Surroundings;
  /** Below it every job has its own directory. */
  readonly directory: string;
  /** The most that a job may do without asking, whoever submitted it. */
  readonly highestMode: PermissionMode;
  knownKeys(): Result<ReadonlySet<string>>;
}

const pollMs = 1000;

/** Runs a job as a session of its own on this machine: the loop, the model calls and the tools. */
export async function runJob(job: ClaimedJob, place: JobPlace): Promise<JobEnd> {
  const { order, signal } = job;
  const { engine, around } = place;
  const state = await readJobState(engine, order.id);
  const known = place.knownKeys();
  if (!state.ok || !known.ok) return 'unfinished';
  const world = { home: around.home, env: { ...around.environment }, clock: around.clock };
  const at = { directory: join(place.directory, order.id), world };
  const checkout = await openCheckout(engine, known.value, order, state.value, at);
  if (!checkout.ok) return refuseJob(job, checkout.problem);
  try {
    return await runInside(job, place, state.value, checkout.value);
  } finally {
    // A job that was passed on has all of its files on the engine.
    checkout.value.remove();
    if (signal.aborted) job.waiter.wake();
  }
}

async function runInside(
  job: ClaimedJob,
  place: JobPlace,
  state: JobState,
  checkout: JobCheckout,
): Promise<JobEnd> {
  const { order, signal } = job;
  const { around, engine } = place;
  const cwd = join(checkout.top, order.stands);
  mkdirSync(cwd, { recursive: true });
  const files = around.layout.session(cwd, order.sessionId);
  const sizes = writeLogs(files, state, cwd);
  const carrier = new StepCarrier(job, checkout, files, around.clock, sizes);
  if (!(await carrier.store([{ kind: 'place', cwd }]))) return 'unfinished';
  const answers = openAnswers(job, engine, carrier);
  const opened = await openSession({
    ...describeSession(order, place, { top: checkout.top, cwd }),
    ...(sizes.has(leadLog)
      ? { resume: { from: 'id', id: order.sessionId } }
      : { sessionId: order.sessionId }),
    onQuestion: answers.ask,
    hooks: {
      PreToolUse: [
        {
          onFailure: 'block',
          timeout: 3600,
          run: async (_, { toolUseId }) => {
            const isOurs = await carrier.store(toolUseId ? [{ kind: 'begun', toolUseId }] : []);
            return isOurs ? undefined : { continue: false, stopReason: passedOn };
          },
        },
      ],
    },
  });
  if (!opened.ok) return refuseJob(job, opened.problem);
  const session = opened.value;
  const stop = () => void session.send({ type: 'interrupt' });
  signal.addEventListener('abort', stop, { once: true });
  try {
    const end = await converse(session, job, { engine, carrier, state, cwd, answers });
    if (!end || signal.aborted) return 'unfinished';
    const body = JSON.stringify(end);
    const isStored = await carrier.store([], [{ stream: streams.result, key: 'result', body }]);
    return isStored ? 'over' : 'unfinished';
  } finally {
    signal.removeEventListener('abort', stop);
    await session.close();
  }
}

const passedOn = 'The job was passed on to another worker.';

/** A job that cannot be run anywhere ends with the reason; the submitter sees it before a model was asked. */
async function refuseJob(job: ClaimedJob, { message, hint }: Problem): Promise<JobEnd> {
  const reason = hint ? `${message} ${hint}` : message;
  const outcome: Outcome = { kind: 'failed', text: '', reason, turns: 0, usage: noUsage };
  const row = { stream: streams.result, key: 'result', body: JSON.stringify({ outcome }) };
  const stored = await job.store([row]);
  return stored.ok && stored.value ? 'over' : 'unfinished';
}

/** From the least that is done without asking to the most. */
const modeOrder: readonly PermissionMode[] = [
  'plan',
  'dontAsk',
  'default',
  'acceptEdits',
  'auto',
  'bypassPermissions',
];

export function limitMode(wanted: PermissionMode, highest: PermissionMode): PermissionMode {
  return modeOrder.indexOf(wanted) <= modeOrder.indexOf(highest) ? wanted : highest;
}

function describeSession(
  order: JobOrder,
  { around, highestMode }: JobPlace,
  { top, cwd }: { top: string; cwd: string },
): SessionOptions {
  const { type, definition } = order.agent;
  return keepDefined({
    cwd,
    environment: around.environment,
    clock: around.clock,
    ids: around.ids,
    model: order.model,
    agent: type,
    // Checked like every definition that a program gives.
    agents: definition ? ({ [type]: definition } as GivenAgents) : undefined,
    permissionMode: limitMode(order.permissionMode, highestMode),
    maxTurns: order.maxTurns,
    maxTokens: order.maxTokens,
    maxBudgetUsd: order.maxBudgetUsd,
    // The worker's own settings and nobody else's: the repository is not trusted here.
    settingSources: ['user' as const],
    settings: order.rules ? renderOrderRules(order.rules, top) : undefined,
    title: order.description,
  });
}

/** What the submitter receives at the end: the outcome, and the bill of the session with all its agents. */
interface JobResult {
  outcome: Outcome;
  cost: CostReport | undefined;
}

interface Conversation {
  engine: Engine;
  carrier: StepCarrier;
  state: JobState;
  cwd: string;
  answers: Answers;
}

/** Gives the session its letters until it has answered all of them. Undefined: the job is not finished. */
async function converse(
  session: Session,
  job: ClaimedJob,
  { engine, carrier, state, cwd, answers }: Conversation,
): Promise<JobResult | undefined> {
  const { order, signal, waiter } = job;
  const readLetters = openSignedCursor(engine, order, streams.letters);
  const readStop = openSignedCursor(engine, order, streams.stop);
  const transcript = state.logs.get(leadLog) ?? '';
  let result: JobResult | undefined;
  let isIdle = true;
  let isStopped = false;
  const listening = listen(session, (event) => {
    carrier.note(event);
    if (event.type !== 'run_ended' || event.agentId !== null) return;
    result = { outcome: event.outcome, cost: event.cost };
    isIdle = true;
    waiter.wake();
  });
  const say = (content: string, uuid?: string) => {
    isIdle = false;
    session.send(
      keepDefined({ type: 'prompt' as const, content, uuid, delivery: 'steer' as const, isVerbatim: true }),
    );
  };
  // The submitter says itself that it continues an earlier job.
  if (transcript !== '' && state.begunBy > 0) say(remind(describeTakeover(state, cwd)));
  for (;;) {
    const letters = await readLetters();
    for (const body of letters.ok ? letters.value : []) {
      const letter = parseLetter(body);
      if (letter && !transcript.includes(letter.uuid)) say(letter.text, letter.uuid);
    }
    const stops = await readStop();
    if (stops.ok && stops.value.length > 0 && !isStopped) {
      isStopped = true;
      session.send({ type: 'interrupt' });
    }
    await answers.read();
    if (signal.aborted) return undefined;
    if (isIdle && result && letters.ok && letters.value.length === 0) {
      await session.finished(signal);
      if (isIdle) break;
    }
    await waiter.wait(pollMs, signal);
  }
  listening();
  return result;
}

function listen(session: Session, heard: (event: AgentEvent) => void): () => void {
  let isOver = false;
  const read = async () => {
    for await (const event of session.events()) {
      if (isOver) return;
      heard(event);
    }
  };
  void read();
  return () => {
    isOver = true;
  };
}

function describeTakeover({ cwd: before }: JobState, cwd: string): string {
  const moved =
    before === undefined || before === cwd
      ? ''
      : ` Your files are in ${cwd} now; paths below ${before} in this conversation mean the same files there.`;
  return (
    `The worker that ran you has ended. You continue on another one from the last finished step.${moved} ` +
    'Files are as they were after that step: changes of a call whose result is missing are not there. Continue the task.'
  );
}

interface Answers {
  ask(question: Question, signal: AbortSignal): Promise<Answer>;
  read(): Promise<void>;
}

/** Questions go to the submitter, and its answers come back, as rows. */
function openAnswers({ order, waiter }: ClaimedJob, engine: Engine, carrier: StepCarrier): Answers {
  const readAnswers = openSignedCursor(engine, order, streams.answers);
  const waiting = new Map<string, (answer: Answer) => void>();
  return {
    async ask(question, signal) {
      const { promise, resolve } = Promise.withResolvers<Answer>();
      waiting.set(question.id, resolve);
      const give = () => resolve({ behaviour: 'deny', message: 'The question was withdrawn.' });
      signal.addEventListener('abort', give, { once: true });
      const row = { stream: streams.questions, key: question.id, body: JSON.stringify(question) };
      if (!(await carrier.store([], [row]))) resolve({ behaviour: 'deny', message: passedOn });
      await engine.ring(order.id);
      waiter.wake();
      try {
        return await promise;
      } finally {
        waiting.delete(question.id);
        signal.removeEventListener('abort', give);
      }
    },
    async read() {
      const bodies = await readAnswers();
      for (const body of bodies.ok ? bodies.value : []) {
        const found = parseQuietly(body) as { id?: unknown; answer?: Answer } | undefined;
        if (typeof found?.id === 'string' && found.answer) waiting.get(found.id)?.(found.answer);
      }
    },
  };
}

/** The session's files as the last worker stored them, in this worker's own place. Returns their sizes. */
function writeLogs(files: SessionLayout, { logs, begun }: JobState, cwd: string): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const [name, text] of logs) {
    if (name !== leadLog && !isAgentLog(name)) continue;
    const path = name === leadLog ? files.transcript : join(files.subagents, name);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, moveHeader(text, cwd) + (name === leadLog ? listBegun(text, begun) : ''), {
      mode: 0o600,
    });
    sizes.set(name, Buffer.byteLength(moveHeader(text, cwd)));
  }
  return sizes;
}

/** A session is looked for by the directory in its first line. */
function moveHeader(text: string, cwd: string): string {
  const end = text.indexOf('\n');
  const header = parseQuietly(text.slice(0, end));
  if (typeof header !== 'object' || header === null) return text;
  return JSON.stringify({ ...header, cwd }) + text.slice(end);
}

/** Calls that were about to run: without this the next worker's session would say that they never began. */
function listBegun(text: string, begun: readonly string[]): string {
  return begun
    .filter((id) => !text.includes(`"tool_use_id":${JSON.stringify(id)}`))
    .map((toolUseId) => `${JSON.stringify({ type: 'call-begun', toolUseId, effect: 'unsafe' })}\n`)
    .join('');
}

export function checkDirectory(directory: string): Result<void> {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    return ok(undefined);
  } catch {
    return failure(`${directory} cannot be made.`, 'Choose another one with --directory.');
  }
}
