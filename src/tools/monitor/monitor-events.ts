import type { Clock } from '../../lib/clock.ts';
import { boundText, visible } from '../../lib/text/text.ts';

export interface EventLimits {
  /** Events within this time are reported together. */
  pauseMs: number;
  /** Characters of one report. */
  maxCharacters: number;
  maxTellings: number;
}

export const defaultLimits: EventLimits = { pauseMs: 1_000, maxCharacters: 4_000, maxTellings: 200 };

/** A monitor's events on their way to its agent: joined, bounded and rate-limited, however fast they come. */
export class MonitorEvents {
  #waiting: string[] = [];
  #size = 0;
  #left = 0;
  #told = 0;
  #cancel: (() => void) | undefined;
  #lastAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly clock: Clock,
    private readonly tell: (text: string) => void,
    /** Called once, if there were more than an agent can use. */
    private readonly tooMany: () => void,
    private readonly limits = defaultLimits,
  ) {}

  add(text: string): void {
    if (this.#told >= this.limits.maxTellings) return;
    // Events beyond the report are only counted: there may be millions.
    if (this.#left > 0) {
      this.#left++;
      return;
    }
    const bounded = boundText(visible(text), this.limits.maxCharacters);
    if (this.#size + bounded.length > this.limits.maxCharacters && this.#waiting.length > 0) this.#left++;
    else {
      this.#waiting.push(bounded);
      this.#size += bounded.length;
    }
    const since = this.clock.monotonic() - this.#lastAt;
    this.#cancel ??= this.clock.after(Math.max(50, this.limits.pauseMs - since), () => this.flush());
  }

  flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (this.#waiting.length === 0) return;
    const left = this.#left > 0 ? `\n[… ${this.#left} more events omitted]` : '';
    this.tell(this.#waiting.join('\n') + left);
    this.#waiting = [];
    this.#size = 0;
    this.#left = 0;
    this.#lastAt = this.clock.monotonic();
    this.#told++;
    if (this.#told >= this.limits.maxTellings) this.tooMany();
  }
}
