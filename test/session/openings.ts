import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type ManualClock, manualClock } from '../../src/lib/clock.ts';
import type { ModelRequest, TaskView } from '../../src/protocol/index.ts';
import { openSession } from '../../src/session/open.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import type { Session } from '../../src/session/session.ts';
import { createLayout } from '../../src/store/layout.ts';
import { findSession } from '../../src/store/sessions.ts';
import { readTasks } from '../../src/store/task-records.ts';
import { isUnderWay } from '../../src/tasks/tasks.ts';
import {
  call,
  calls,
  type FakeProvider,
  type FixedTurn,
  failWith,
  fakeProvider,
  say,
} from '../../src/testing/index.ts';
import { until } from '../support/index.ts';
import { type Place, place } from './support.ts';

const hour = 3_600_000;

/**
 * How a session is opened, and how that ends, before a limit resets. `continue` and `prompt` do not wait for the reset and end by themselves; `wait`
 * waits for it and is closed; `early` is closed before anything was sent; `kill` waits and is killed.
 */
export type Opening = 'continue' | 'prompt' | 'wait' | 'early' | 'kill';
export const openings: readonly Opening[] = ['continue', 'prompt', 'wait', 'early', 'kill'];

/** Which agent starts which, and what their reports are. */
export interface Company {
  /** Agents by their prompt: those that each one starts, every second one in the background. */
  below: Record<string, readonly string[]>;
}

export const flat: Company = { below: { lead: ['job-a', 'job-b', 'job-c', 'job-d'] } };
export const nested: Company = { below: { lead: ['boss'], boss: ['job-a', 'job-b'] } };

/** A session whose agents all meet a limit, opened again and again. */
export class Walk {
  readonly clock: ManualClock = manualClock(1_000_000);
  #place: Place = place();
  #resetsAt = Number.POSITIVE_INFINITY;
  #id: string | undefined;
  #copies = 0;
  readonly reported: string[] = [];

  private constructor(
    private readonly company: Company,
    private provider: FakeProvider,
  ) {}

  static async begin(company: Company): Promise<Walk> {
    const script = { answer: (_: ModelRequest): FixedTurn => say('') };
    const provider = await fakeProvider({ script: (request) => script.answer(request) });
    const walk = new Walk(company, provider);
    script.answer = (request) => walk.#answer(request);
    mkdirSync(walk.#place.cwd, { recursive: true });
    return walk;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.provider[Symbol.asyncDispose]();
  }

  get place(): Place {
    return this.#place;
  }

  get sessionId(): string {
    return this.#id ?? '';
  }

  get sent(): number {
    return this.provider.requests.length;
  }

  get received(): readonly ModelRequest[] {
    return this.provider.received;
  }

  get jobs(): string[] {
    return Object.values(this.company.below).flat();
  }

  /** The first process: ends because it does not wait. */
  async start({ staysOpen = false } = {}): Promise<Session> {
    const session = await this.open({ oneShot: true });
    this.#id = session.id;
    session.send({ type: 'prompt', content: 'lead' });
    await this.#pass(this.#watchEnd(session));
    if (!staysOpen) await session.close();
    return session;
  }

  /** The id of the agent with this description, by the transcript. */
  async findId(description: string): Promise<string> {
    const found = await findSession(createLayout(this.#place.home), this.sessionId);
    const tasks = found.ok ? await readTasks(found.value.path) : found;
    const task = tasks.ok ? tasks.value.find((one) => one.task.description === description) : undefined;
    if (!task) throw new Error(`no agent ${description}`);
    return task.task.id;
  }

  async again(opening: Opening): Promise<void> {
    const waits = opening === 'wait' || opening === 'kill';
    const session = await this.open({ oneShot: !waits });
    session.continueSuspended();
    if (opening === 'prompt') session.send({ type: 'prompt', content: 'What now?' });
    if (opening === 'continue' || opening === 'prompt') return this.finish(session);
    if (waits) await this.#pass(() => listAgents(session).some(({ suspended }) => suspended));
    if (opening === 'kill') this.#moveAway();
    await session.close();
  }

  /** The reset has come: everything goes on until nothing runs. */
  async reset(): Promise<Session> {
    this.clock.advance(Math.max(0, this.#resetsAt - this.clock.now()) + 2_000);
    const session = await this.open({ oneShot: true });
    session.continueSuspended();
    await this.#pass(this.#watchEnd(session));
    return session;
  }

  async finish(session: Session): Promise<void> {
    await this.#pass(this.#watchEnd(session));
    await session.close();
  }

  async open(options: SessionOptions): Promise<Session> {
    const { cwd, environment } = this.#place;
    const opened = await openSession({
      ...{ cwd, clock: this.clock, sandbox: false, permissionMode: 'acceptEdits' as const },
      environment: { ...environment, ANTHROPIC_BASE_URL: this.provider.url, ANTHROPIC_API_KEY: 'key' },
      settings: '{"agents":{"askAboveAgents":1000}}',
      agents: { worker: { description: 'Works.', prompt: 'Work.', tools: ['Agent', 'Read'] } },
      agentLimits: { maxDepth: 2 },
      ...(this.#id === undefined ? {} : { resume: { from: 'id' as const, id: this.#id } }),
      ...options,
    });
    if (!opened.ok) throw new Error(opened.problem.message);
    return opened.value;
  }

  /** What is on the disk now is all that a killed process leaves behind; it writes where nobody reads. */
  #moveAway(): void {
    const { cwd, home, environment } = this.#place;
    const userHome = join(home, '..', '..', `user-${++this.#copies}`);
    const moved = join(userHome, '.cadre');
    cpSync(home, moved, { recursive: true, filter: (path) => !path.endsWith('/sockets') });
    rmSync(join(moved, 'running'), { recursive: true, force: true });
    this.#place = {
      ...{ cwd, home: moved },
      environment: { ...environment, HOME: userHome, CADRE_HOME: moved },
    };
  }

  #watchEnd(session: Session): () => boolean {
    let isOver = false;
    void session.finished(AbortSignal.timeout(60_000)).then(() => {
      isOver = true;
    });
    return () => isOver;
  }

  #pass(isOver: () => boolean): Promise<void> {
    return until(() => {
      this.clock.advance(20);
      return isOver();
    });
  }

  #answer({ messages }: ModelRequest): FixedTurn {
    const text = JSON.stringify(messages);
    const who = this.jobs.find((job) => text.includes(`"text":"${job}"`)) ?? 'lead';
    const below = this.company.below[who] ?? [];
    const hasBegun = messages.some(({ role }) => role === 'assistant');
    if (!hasBegun && below.length > 0)
      return calls(
        below.map((prompt, index) =>
          call('Agent', {
            ...{ description: prompt, prompt, subagent_type: 'worker' },
            run_in_background: index % 2 === 1,
          }),
        ),
      );
    if (this.#resetsAt === Number.POSITIVE_INFINITY) this.#resetsAt = this.clock.now() + 5 * hour;
    const left = this.#resetsAt - this.clock.now();
    if (left > 0)
      return failWith({ kind: 'rate_limited', message: 'Used up.', status: 429, retryAfterMs: left });
    const isHeard = below.every((job) => text.includes(`Report of ${job}.`));
    if (who === 'lead' || !isHeard) return say('Not yet.');
    this.reported.push(who);
    return say(`Report of ${who}.`);
  }
}

export function listAgents(session: Session): TaskView[] {
  return session.tasks().filter(({ kind }) => kind === 'local_agent');
}

export function isAtRest(session: Session): boolean {
  return listAgents(session).every((task) => !isUnderWay(task) && task.suspended === undefined);
}
