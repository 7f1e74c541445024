import type { Clock } from '../lib/clock.ts';
import type { SessionState, TaskHandle } from '../protocol/index.ts';

/**
 * Dreams while nobody needs the session: once, when it has been idle for a while, and no longer than it stays so. A
 * person who comes back has the machine and the budget to themselves.
 */
export class DreamWatch {
  #cancel: (() => void) | undefined;
  #dream: TaskHandle | undefined;
  #over = false;

  constructor(
    private readonly clock: Clock,
    private readonly idleMs: number,
    private readonly start: () => TaskHandle | undefined,
  ) {}

  note(state: SessionState): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (state === 'idle' && !this.#over) {
      this.#cancel = this.clock.after(this.idleMs, () => {
        this.#over = true;
        this.#dream = this.start();
      });
    } else if (state !== 'idle' && this.#dream) {
      void this.#dream.kill('the user is back');
      this.#dream = undefined;
    }
  }

  close(): void {
    this.#cancel?.();
    this.#over = true;
  }
}
