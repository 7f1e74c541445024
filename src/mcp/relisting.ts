import { type Clock, sleep } from '../lib/clock.ts';

/** How soon after a server says that its tools changed they are looked at: it may say so many times. */
const settleMs = 300;
/** How long a call waits for a list that is due. */
const maxWaitMs = 10_000;

/** Keeps a list as new as its server says it is. To say so again and again puts nothing off. */
export class Relisting {
  #announced = 0;
  /** The last announcement that a list has followed. */
  #seen = 0;
  #cancel: (() => void) | undefined;
  #running: Promise<string | undefined> | undefined;

  constructor(
    private readonly clock: Clock,
    /** Resolves with what went wrong, if anything. */
    private readonly list: () => Promise<string | undefined>,
  ) {}

  announce(): void {
    this.#announced++;
    this.#cancel ??= this.clock.after(settleMs, () => {
      this.#cancel = undefined;
      void this.#run();
    });
  }

  /** Resolves when the list follows all that was announced by now; with a text where it cannot. */
  async current(): Promise<string | undefined> {
    const wanted = this.#announced;
    if (this.#seen >= wanted) return undefined;
    const enough = new AbortController();
    const late = sleep(this.clock, maxWaitMs, enough.signal).then(() => 'It does not list them.');
    try {
      while (this.#seen < wanted) {
        const problem = await Promise.race([this.#run(), late]);
        if (problem !== undefined) return problem;
      }
      return undefined;
    } finally {
      enough.abort();
    }
  }

  /** A list of all that is offered has come by another way. */
  follow(): () => void {
    const at = this.#announced;
    return () => {
      this.#seen = Math.max(this.#seen, at);
    };
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #run(): Promise<string | undefined> {
    this.#running ??= this.#listOnce().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #listOnce(): Promise<string | undefined> {
    this.stop();
    const follow = this.follow();
    const problem = await this.list();
    if (problem === undefined) follow();
    return problem;
  }
}
