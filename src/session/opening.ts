import { type AgentStep, type Placement, stepOrder } from '../agents/kernel.ts';
import { here } from '../agents/run-agent.ts';
import type { Teams } from '../agents/teams.ts';
import { ok, type Problem, type Result } from '../lib/result.ts';
import type { Tool } from '../protocol/index.ts';
import type { Contribution, Feature } from './feature.ts';
import type { Kernel } from './kernel.ts';
import { checkNotLost } from './owner.ts';

/** A feature of the harness itself: it sees the whole kernel. */
export type SessionFeature<Port = unknown> = Feature<Port, Kernel>;

interface OpenedFeature extends Contribution {
  name: string;
  /** Added by the program that opened the session. */
  isGiven: boolean;
}

/** The features of one session, in the order in which they were opened. */
export class Features {
  readonly #opened: OpenedFeature[] = [];
  #takenNotices = 0;

  constructor(private readonly kernel: Kernel) {}

  /** Opens a feature; throws `OpeningFailed` if that fails. */
  async open<Port>(feature: SessionFeature<Port>, isGiven = false): Promise<Port> {
    const opened = await feature.open(this.kernel);
    const port = isResult(opened) ? need(opened) : opened;
    this.#opened.push({
      ...{ name: feature.name, isGiven },
      tools: port.tools,
      drivingTools: port.drivingTools,
      promptParts: port.promptParts,
      briefing: port.briefing?.bind(port),
      agentSteps: port.agentSteps,
      placements: port.placements,
      teams: port.teams,
      notices: port.notices,
      ready: port.ready?.bind(port),
      close: port.close?.bind(port),
    });
    return port;
  }

  /** The tools of the features opened so far, in their order: the harness's own, or those given to it. */
  tools(whose: 'ours' | 'given'): Tool[] {
    return this.#opened
      .filter(({ isGiven }) => isGiven === (whose === 'given'))
      .flatMap(({ tools = [], drivingTools = [] }) => [...drivingTools, ...tools]);
  }

  isDriving(tool: Tool): boolean {
    return this.#opened.some(({ drivingTools = [] }) => drivingTools.includes(tool));
  }

  /** The steps that complete an agent: the named ones in their order, then those that features add. */
  agentSteps(): AgentStep[] {
    const all = this.#opened.flatMap(({ agentSteps = [] }) => agentSteps);
    const named = stepOrder.flatMap((name) => all.filter((step) => step.name === name));
    return [...named, ...all.filter((step) => !named.includes(step))];
  }

  placements(): ReadonlyMap<string, Placement> {
    const all = [here, ...this.#opened.flatMap(({ placements = [] }) => placements)];
    return new Map(all.map((placement) => [placement.name, placement]));
  }

  /** Undefined where no feature has any. */
  teams(): Teams | undefined {
    return this.#opened.find(({ teams }) => teams !== undefined)?.teams;
  }

  promptParts(): string[] {
    return this.#opened.flatMap(({ promptParts = [] }) => promptParts);
  }

  /** What a conversation begins with, before its first prompt. */
  async briefings(): Promise<string[]> {
    const all = await Promise.all(this.#opened.map(({ briefing }) => briefing?.()));
    return all.filter((text) => text !== undefined);
  }

  /** Each is handed out once. */
  takeNotices(): string[] {
    const left = this.#opened.flatMap(({ notices = [] }) => notices).slice(this.#takenNotices);
    this.#takenNotices += left.length;
    return left;
  }

  ready(): void {
    for (const feature of this.#opened) feature.ready?.();
  }

  /** Closes all open features, the newest first. One that fails does not keep the others from closing. */
  async close(): Promise<Result<void>> {
    const ends: Result<void>[] = [];
    const thrown: unknown[] = [];
    for (let feature = this.#opened.pop(); feature; feature = this.#opened.pop())
      try {
        // Asked for each: closing takes time, and the process may be paused in between.
        const isPassed = !checkNotLost(this.kernel.claim).ok;
        const end: unknown = await feature.close?.({ isPassed });
        // `close: stop` is natural to write, and `stop` may return anything: the types let it pass as void.
        if (isResult(end)) ends.push(end as Result<void>);
      } catch (error) {
        thrown.push(error);
      }
    if (thrown.length > 0) throw thrown[0];
    return ends.find((end) => !end.ok) ?? ok(undefined);
  }
}

/** The session cannot be opened, and why. Thrown while features open, caught only in `openSession`. */
export class OpeningFailed extends Error {
  constructor(readonly problem: Problem) {
    super(problem.message);
  }
}

/** Unwraps a result that the session cannot be opened without. */
export function need<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw new OpeningFailed(result.problem);
}

function isResult<T>(value: Result<T> | T): value is Result<T> {
  return typeof value === 'object' && value !== null && 'ok' in value;
}
