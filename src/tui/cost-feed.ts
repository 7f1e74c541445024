import type { Clock } from '../lib/clock.ts';
import type { CostReport } from '../protocol/index.ts';
import type { ViewEvent } from '../view/index.ts';

/** The highest rate at which the ledger is read. */
const everyMs = 1_000;
/** A request appears in the ledger a moment after its answer. */
const settleMs = 100;

/** Events after which a request may have been paid for. */
function isProgress(event: ViewEvent): boolean {
  if (event.type === 'message_added') return event.record.message.role === 'assistant';
  return event.type === 'run_ended' || event.type === 'task_changed' || event.type === 'task_progressed';
}

/** Keeps the displayed cost up to date while agents run. Only events trigger a read: idle, it does nothing. */
export class CostFeed {
  #lookedAt = Number.NEGATIVE_INFINITY;
  #cancel: (() => void) | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly look: () => CostReport,
    private readonly show: (cost: CostReport) => void,
  ) {}

  note(event: ViewEvent): void {
    if (this.#cancel || !isProgress(event)) return;
    const since = this.clock.monotonic() - this.#lookedAt;
    this.#cancel = this.clock.after(Math.max(settleMs, everyMs - since), () => {
      this.#cancel = undefined;
      this.#lookedAt = this.clock.monotonic();
      this.show(this.look());
    });
  }

  close(): void {
    this.#cancel?.();
  }
}
