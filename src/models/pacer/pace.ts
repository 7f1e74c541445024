/**
 * Requests per second, as far as refusals have taught it: without limit until the first one. After a refusal it starts
 * below what was too much, returns to that, stays there for a while, and then increases ever faster (the cubic curve of
 * TCP, for a rate). So a lasting limit is hit rarely, and a lifted one is soon left behind. All times are open time,
 * which stops while nothing may be sent, since that teaches nothing.
 */
export class Pace {
  #capacity = Number.POSITIVE_INFINITY;
  #since = 0;
  #isGuess = false;

  get capacity(): number {
    return this.#capacity;
  }

  /** Set without better knowledge; it grows with every accepted request, until the next refusal. */
  get isGuess(): boolean {
    return this.#isGuess;
  }

  rate(now: number): number {
    if (this.#isGuess || this.#capacity === Number.POSITIVE_INFINITY) return this.#capacity;
    const turns = Math.max(0, now - this.#since) / this.#recoveryMs();
    return this.#capacity * (1 + (1 - kept) * (turns - 1) ** 3);
  }

  accept(share: number): void {
    if (this.#isGuess) this.#capacity *= 1 + guessGrowth / share;
  }

  /** `measured` is what the provider recently accepted per second, if known. */
  refuse(now: number, measured: number | undefined): void {
    const rate = this.rate(now);
    const taken = measured === undefined ? Number.POSITIVE_INFINITY : measured * 1.2;
    const isFirst = rate === Number.POSITIVE_INFINITY;
    const isSettled = isFirst || now - this.#since > this.#recoveryMs() / 4;
    const next = isFirst ? Math.min(taken, firstGuess) : isSettled ? Math.min(rate, taken) : rate * hardCut;
    this.set(Math.max(minRate, next), now, isFirst);
  }

  set(capacity: number, since: number, isGuess: boolean): void {
    this.#capacity = capacity;
    this.#since = since;
    this.#isGuess = isGuess;
  }

  /** A slow provider is not asked for more after every other request. */
  #recoveryMs(): number {
    return Math.min(Math.max(recoveryMs, (recoveryRequests * 1_000) / this.#capacity), maxRecoveryMs);
  }
}

const kept = 0.85;
const recoveryMs = 20_000;
const recoveryRequests = 16;
const maxRecoveryMs = 300_000;
const hardCut = 0.7;
const minRate = 0.05;
const firstGuess = 2;
const guessGrowth = 0.1;

/** The rate that a provider recently accepted, per second of open time. */
export class Throughput {
  #times: number[] = [];

  note(now: number): void {
    this.#times.push(now);
    if (this.#times.length >= 2 * maxRemembered) this.#times = this.#times.slice(-maxRemembered);
  }

  /** Undefined when there was too little data. */
  perSecond(now: number): number | undefined {
    let from = this.#times.length;
    for (let time = this.#times[from - 1]; time !== undefined; time = this.#times[from - 1]) {
      const isFar = now - time > spanMs && this.#times.length - from >= enough;
      if (isFar || now - time > maxSpanMs) break;
      from--;
    }
    const first = this.#times[from];
    const count = this.#times.length - from;
    if (first === undefined || count < minCount) return undefined;
    return ((count - 1) * 1_000) / Math.max(now - first, minMs);
  }
}

const maxRemembered = 2_048;
const spanMs = 10_000;
const maxSpanMs = 120_000;
const minMs = 1_000;
const enough = 20;
const minCount = 5;
