import { type Clock, sleep } from '../lib/clock.ts';

/** The delay between a server's announcement of changed tools and the look at them: it may announce many times. */
const settleMs = 300;
/** How long a call waits for a pending list. */
const maxWaitMs = 10_000;

/** Keeps a list up to date with its server's announcements. Repeated announcements do not postpone it. */
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

  /** Resolves when the list follows all announcements so far; with a message if it cannot. */
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

  /** A complete list has come by another way. */
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
