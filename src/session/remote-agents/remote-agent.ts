import type { AgentKernel, AgentRun } from '../../agents/kernel.ts';
import { watchLimits } from '../../agents/limits.ts';
import type { AgentSpec } from '../../agents/spec.ts';
import { linkAbort } from '../../lib/abort.ts';
import { formatError, ok, type Problem, type Result } from '../../lib/result.ts';
import type { AgentContext } from '../../loop/agent-context.ts';
import type { Share } from '../../models/budget/share.ts';
import type { AgentEventBody, Outcome, RunningTask } from '../../protocol/index.ts';
import type { Engine } from '../../remote/engine.ts';
import { streams } from '../../remote/job.ts';
import { type JobKey, openJobKey, readKnownKeys } from '../../remote/keys.ts';
import { type RemoteLetter, sendAnswer, sendLetter, sendStop } from '../../remote/letters.ts';
import { askAgain } from '../../remote/patient-engine.ts';
import type { Letter } from '../../tasks/inbox.ts';
import { leftRunning } from '../../tasks/task-surroundings.ts';
import { openQuestionDesk, withoutAnswered } from './ask-here.ts';
import { bringBack } from './bring-back.ts';
import { endJob } from './end-job.ts';
import { followJob, type JobFollower, keepTrying } from './follow-job.ts';
import type { RemoteJob } from './job-files.ts';
import { countTokens, fail, failed, fillOutcome, left, stopped } from './outcomes.ts';
import type { RemoteParts } from './parts.ts';
import { type PreparedJob, prepareJob } from './prepare-job.ts';
import type { RemoteResult } from './read-event.ts';
import { renderLetter } from './render-letter.ts';
import { type NewsDesk, openNewsDesk } from './show-news.ts';
import { repeatCalls, submitJob } from './submit-job.ts';

/** The time that a worker has to end an agent that was stopped. Then its rows are removed, and it is refused. */
const stopMs = 20_000;
/** For one that no worker seems to have begun. */
const unbegunMs = 2_000;

/** Runs an agent on a worker: sends its job, shows what it does, and takes its result. Always ends in an outcome. */
export async function runRemoteAgent(
  parts: RemoteParts,
  agents: AgentKernel,
  spec: AgentSpec,
  task: RunningTask,
  first: PreparedJob,
): Promise<AgentRun> {
  const start = agents.clock.monotonic();
  const controller = new AbortController();
  const unlink = linkAbort(task.signal, controller);
  // Whether it shows a sign of life is seen where it runs.
  const limits = watchLimits({ ...spec.settings, idleSeconds: 0 }, agents.clock, controller, () => false);
  const remote = new RemoteAgent(parts, agents, spec, { ...task, signal: controller.signal }, first);
  const outcome = await remote.run();
  limits.release();
  unlink();
  return {
    outcome: { ...outcome, ...limits.hit() },
    toolUses: remote.news.toolUses,
    totalTokens: remote.tokens,
    durationMs: agents.clock.monotonic() - start,
    tools: remote.news.tools.value,
    report: remote.news.report,
  };
}

class RemoteAgent {
  readonly news: NewsDesk;
  readonly #context: AgentContext;
  readonly #sent = new Map<string, Letter>();
  #job: RemoteJob;
  #billed = 0;
  /** For the agent, with its next letter. */
  #note: string;
  /** Counted by the worker at its end, else from its messages. */
  get tokens(): number {
    return Math.max(this.#billed, this.news.tokens);
  }

  constructor(
    private readonly parts: RemoteParts,
    private readonly agents: AgentKernel,
    private readonly spec: AgentSpec,
    private readonly task: RunningTask,
    { job, note }: PreparedJob,
  ) {
    this.#job = job;
    this.#note = note && `[${note}]`;
    this.#context = spec.makeContext(task.signal);
    this.news = openNewsDesk(agents, spec, this.#context, task, job);
  }

  async run(): Promise<Outcome> {
    const { clock } = this.agents;
    const start = clock.monotonic();
    this.#publish({
      type: 'run_started',
      model: this.spec.engine.model.id,
      permissionMode: this.#context.permissions.mode,
      cwd: this.spec.place.cwd,
      tools: [],
    });
    let outcome: Outcome;
    try {
      outcome = await this.#runJobs();
    } catch (error) {
      outcome = failed(formatError(error));
    }
    this.news.close();
    if (this.#isLeft) {
      // They are in its transcript as letters, and are sent by the next process of the session.
      this.#context.inbox.takeWhere(() => true);
      return outcome;
    }
    const durationMs = clock.monotonic() - start;
    this.#publish({ type: 'run_ended', outcome, prompts: [], durationMs, modelMs: 0 });
    return outcome;
  }

  #publish(body: AgentEventBody): void {
    const { id: agentId, request } = this.spec;
    this.agents.publish({ agentId, parentToolUseId: request.toolUseId, ...body });
  }

  /** A letter that came when a job had ended begins another one. */
  async #runJobs(): Promise<Outcome> {
    for (;;) {
      const outcome = await this.#runJob();
      const unread = [...this.#sent].filter(([uuid]) => !this.news.hasRead(uuid)).map(([, letter]) => letter);
      this.#sent.clear();
      this.#context.inbox.putBack(unread);
      if (outcome.kind !== 'completed' || this.task.signal.aborted || this.#context.inbox.isEmpty())
        return outcome;
      this.#close();
      const next = await prepareJob(this.parts, this.agents, this.spec, this.task.signal);
      if (!next.ok) return { ...outcome, ...fail(next.problem) };
      this.#note = `[${next.value.note}]`;
      this.#job = {
        ...next.value.job,
        tokens: this.news.tokens,
        toolUses: this.news.toolUses,
        tools: this.news.tools.value,
      };
    }
  }

  async #runJob(): Promise<Outcome> {
    const { signal } = this.task;
    const engine = await this.#connect();
    if (!engine.ok) return this.#endUnsent(engine.problem);
    const key = openJobKey(this.parts.home);
    if (!key.ok) return fail(key.problem);
    const share = this.#reserve();
    if (!share.ok) return { ...fail(share.problem), kind: 'out_of_budget' };
    const sent = await this.#send(engine.value, key.value, share.value);
    if (!sent.ok) {
      if (this.#isLeft) return left;
      share.value.settle([]);
      this.#close();
      await endJob(this.parts, engine.value, this.#job);
      return this.#endUnsent(sent.problem);
    }
    const follower = this.#openFollower(engine.value, key.value);
    const result = (await followJob(follower, signal)) ?? (await this.#stop(follower, key.value));
    if (!result && this.#isLeft) return left;
    return this.#finish(engine.value, key.value, share.value, result);
  }

  get #isLeft(): boolean {
    const { signal } = this.task;
    return signal.aborted && signal.reason === leftRunning;
  }

  #endUnsent(problem: Problem): Outcome {
    return this.task.signal.aborted
      ? { ...fail(problem), kind: 'interrupted', reason: 'It was stopped before it was sent.' }
      : fail(problem);
  }

  async #connect(): Promise<Result<Engine>> {
    const { connect } = this.parts;
    const first = await connect();
    if (first.ok || first.problem.kind === 'usage') return first;
    this.news.say('Waiting for the engine');
    this.agents.notice(`${first.problem.message} Trying again.`);
    return askAgain(connect, this.agents.clock, this.task.signal);
  }

  /** Whole, before anything is sent. An earlier process of the session has done so, or has settled it already. */
  #reserve(): Result<Share> {
    const { account, model } = this.spec.engine;
    const { jobId, state } = this.#job;
    const id = `share-${jobId}`;
    if (state === 'sent') return ok(account.findShare(id) ?? settledShare);
    return account.reserveShare({ id, model: model.id, part: this.parts.budgetShare });
  }

  /** Known to the session before it is on the engine: a later process finds it again. */
  async #send(engine: Engine, key: JobKey, share: Share): Promise<Result<void>> {
    if (this.#job.state === 'sent') return ok(undefined);
    const kept = this.parts.files.write(this.#job);
    if (!kept.ok) return kept;
    const limits = {
      ...(share.microUsd === undefined ? {} : { maxBudgetUsd: share.microUsd / 1_000_000 }),
      ...(share.tokens === undefined ? {} : { maxTokens: share.tokens }),
    };
    const { spec } = this;
    const patient = repeatCalls(engine, this.agents.clock, this.task.signal);
    const sent = await submitJob(this.parts, patient, key, { spec, job: this.#job, limits });
    if (!sent.ok) return sent;
    this.#job.state = 'sent';
    return this.parts.files.write(this.#job);
  }

  #openFollower(engine: Engine, key: JobKey): JobFollower {
    const { inbox } = this.#context;
    const { clock } = this.agents;
    const { jobId } = this.#job;
    const desk = openQuestionDesk(this.agents, this.#context, this.task.signal, async (id, answer) => {
      await askAgain(() => sendAnswer(engine, key, jobId, { id, answer }), clock, this.task.signal);
    });
    return {
      ...{ engine, clock, job: this.#job, submitter: key.name, news: this.news },
      desk: this.#job.read > 0 ? withoutAnswered(engine, key, jobId, desk) : desk,
      accepts: (signer) => this.#knows(signer),
      sendLetters: () => this.#sendLetters(engine, key),
      keep: () => void this.parts.files.write(this.#job),
      notice: (text) => this.agents.notice(text),
      onLetter: (listener) => inbox.onPost(listener),
    };
  }

  /** Read again each time: the user may add a key meanwhile. */
  #knows(signer: string): boolean {
    const known = readKnownKeys(this.parts.home);
    return known.ok && known.value.has(signer);
  }

  async #sendLetters(engine: Engine, key: JobKey): Promise<boolean> {
    const { inbox } = this.#context;
    const letters = inbox.takeWhere(() => true);
    for (const [at, letter] of letters.entries()) {
      const { uuid = this.agents.ids.uuid(), delivery, origin } = letter;
      const text = renderLetter(letter);
      if (this.news.hasRead(uuid) || text === '') continue;
      // What the harness says is no reason to run: it goes with the next letter.
      if (origin.kind === 'harness') {
        this.#note = text;
        continue;
      }
      this.news.noteLetter(uuid, origin);
      const note = this.#note === '' ? '' : `${this.#note}\n\n`;
      const row: RemoteLetter = { uuid, text: `${note}${text}`, delivery };
      const sent = await sendLetter(engine, key, this.#job.jobId, row);
      if (!sent.ok) {
        inbox.putBack(letters.slice(at).map((one) => (one === letter ? { ...letter, uuid } : one)));
        return false;
      }
      this.#note = '';
      this.#sent.set(uuid, { ...letter, uuid });
    }
    return true;
  }

  /** Tells the worker to end the agent, and waits a while for what it has done. */
  async #stop(follower: JobFollower, key: JobKey): Promise<RemoteResult | undefined> {
    if (this.#isLeft) return undefined;
    const { engine, clock, job } = follower;
    this.news.say('Stopping');
    const isTold = await keepTrying(
      stopMs / 2,
      clock,
      async () => (await sendStop(engine, key, job.jobId)).ok,
    );
    if (!isTold) {
      this.agents.notice(
        `The agent ${job.agentId} could not be stopped: the engine at ${engine.title} does not answer. Its worker continues until the session is opened again.`,
      );
      return undefined;
    }
    const waited = new AbortController();
    const cancel = clock.after((await this.#mayHaveBegun(engine)) ? stopMs : unbegunMs, () => waited.abort());
    // What it asks now is not answered.
    const desk = { ...follower.desk, take: () => {} };
    const result = await followJob({ ...follower, desk, sendLetters: async () => true }, waited.signal);
    cancel();
    return result;
  }

  async #mayHaveBegun(engine: Engine): Promise<boolean> {
    const { jobId, read } = this.#job;
    const steps = read > 0 ? undefined : await engine.read(jobId, streams.steps, 0, 1);
    return !steps?.ok || steps.value.length > 0;
  }

  /** The bill, the files and the conversation; then nothing of the job is left on the engine. */
  async #finish(
    engine: Engine,
    key: JobKey,
    share: Share,
    result: RemoteResult | undefined,
  ): Promise<Outcome> {
    const rows = result?.cost?.rows ?? [];
    if (!result && (await this.#mayHaveBegun(engine))) share.hold();
    else
      share.settle(
        rows.map(({ model, usage, microUsd, requests }) => ({ model, usage, microUsd, requests })),
      );
    this.#billed += rows.reduce((sum, { usage }) => sum + countTokens(usage), 0);
    const { spec } = this;
    const back = await bringBack(this.parts, engine, (signer) => this.#knows(signer), {
      spec,
      job: this.#job,
      submitter: key.name,
    });
    const outcome = result ? fillOutcome(result) : stopped;
    if (!back.ok) {
      const reason = `Its files could not be brought here: ${back.problem.message} They are kept on the engine; a message to ${spec.id} tries it again.`;
      return { ...outcome, kind: outcome.kind === 'completed' ? 'failed' : outcome.kind, reason };
    }
    // Not before its end is in the session's transcript: until then a later process would read it again.
    const job = this.#job;
    const ended = this.agents.tasks.find(spec.id)?.result();
    if (ended) this.parts.finish(ended.then(() => endJob(this.parts, engine, job)));
    return outcome;
  }

  /** The agent continues with another job: this one is over, and its counts go on. */
  #close(): void {
    this.parts.files.write({ ...this.#job, state: 'over' });
  }
}

/** Of a job whose bill an earlier process has written. */
const settledShare: Share = { microUsd: undefined, tokens: undefined, settle() {}, hold() {} };
