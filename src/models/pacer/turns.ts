import type { Asker } from '../../protocol/index.ts';

/** A request that waits for its turn. */
export interface Waiting {
  readonly asker: Asker;
  /** Monotonic: when it was first made, however often it was refused since. */
  readonly since: number;
  /** Monotonic: when it last began to wait. */
  readonly enteredAt: number;
  /** How often it was refused right after another one had been accepted: it may be the reason itself. */
  readonly faults: number;
  /** The row of refusals in which it was refused last. */
  readonly streak: number | undefined;
}

/**
 * Which request goes next. Sessions take turns, and within a session its agents do; the foreground goes before the
 * background. Neither order may starve a request: one that has waited half as long again as usual goes first.
 */
export class Turns<T extends Waiting> {
  /** In the order of arrival. */
  readonly #all = new Set<T>();
  readonly #returned: T[] = [];
  readonly #rotations = {
    foreground: new Rotation<T>(),
    background: new Rotation<T>(),
  };
  readonly #usual = new UsualWait();

  get size(): number {
    return this.#all.size;
  }

  add(waiting: T): void {
    this.#all.add(waiting);
    // Its turn was used without success.
    if (waiting.streak !== undefined && waiting.faults < stubborn) this.#returned.push(waiting);
    else this.#rotations[waiting.asker.priority].add(waiting);
  }

  /** In a row of refusals each request is tried once, as long as there are others. */
  take(now: number, streak: number | undefined): T | undefined {
    const isTried = (waiting: T) => streak !== undefined && waiting.streak === streak;
    const next =
      this.#returned.find((waiting) => !isTried(waiting)) ??
      this.#overdue(now, isTried) ??
      this.#rotations.foreground.first() ??
      this.#rotations.background.first() ??
      this.#returned[0];
    if (!next) return undefined;
    this.remove(next);
    this.#rotations[next.asker.priority].rotate(next);
    this.#usual.note(now - next.since);
    return next;
  }

  remove(waiting: T): void {
    this.#all.delete(waiting);
    const at = this.#returned.indexOf(waiting);
    if (at >= 0) this.#returned.splice(at, 1);
    else this.#rotations[waiting.asker.priority].remove(waiting);
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#all.values();
  }

  #overdue(now: number, isTried: (waiting: T) => boolean): T | undefined {
    for (const oldest of this.#all) {
      if (isTried(oldest)) continue;
      const since = oldest.faults < stubborn ? oldest.since : oldest.enteredAt;
      return now - since > Math.max(shortWaitMs, 1.33 * this.#usual.median()) ? oldest : undefined;
    }
    return undefined;
  }
}

const stubborn = 3;
const shortWaitMs = 1_000;

/** A `Map` keeps the order in which its keys were set: the first one is next, and moves to the end after its turn. */
class Rotation<T extends Waiting> {
  readonly #sessions = new Map<string, Map<string, T[]>>();

  add(waiting: T): void {
    const { sessionId, agentId } = waiting.asker;
    const agents = this.#sessions.get(sessionId) ?? new Map<string, T[]>();
    const requests = agents.get(agentId ?? '') ?? [];
    requests.push(waiting);
    agents.set(agentId ?? '', requests);
    this.#sessions.set(sessionId, agents);
  }

  first(): T | undefined {
    for (const agents of this.#sessions.values()) for (const requests of agents.values()) return requests[0];
    return undefined;
  }

  remove(waiting: T): void {
    const { sessionId, agentId } = waiting.asker;
    const agents = this.#sessions.get(sessionId);
    const requests = agents?.get(agentId ?? '');
    const at = requests?.indexOf(waiting) ?? -1;
    if (!agents || !requests || at < 0) return;
    requests.splice(at, 1);
    if (requests.length === 0) agents.delete(agentId ?? '');
    if (agents.size === 0) this.#sessions.delete(sessionId);
  }

  rotate({ asker: { sessionId, agentId } }: T): void {
    const agents = this.#sessions.get(sessionId);
    if (!agents) return;
    moveToEnd(agents, agentId ?? '');
    moveToEnd(this.#sessions, sessionId);
  }
}

function moveToEnd<V>(map: Map<string, V>, key: string): void {
  const value = map.get(key);
  if (value === undefined) return;
  map.delete(key);
  map.set(key, value);
}

const remembered = 64;

class UsualWait {
  readonly #waits: number[] = [];
  #next = 0;

  note(wait: number): void {
    this.#waits[this.#next] = wait;
    this.#next = (this.#next + 1) % remembered;
  }

  median(): number {
    const sorted = [...this.#waits].sort((a, b) => a - b);
    return sorted[sorted.length >> 1] ?? 0;
  }
}
