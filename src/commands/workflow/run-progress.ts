import type { Io } from '../../headless/io.ts';
import { visibleLine } from '../../lib/text/text.ts';
import type { AgentEvent } from '../../protocol/index.ts';
import type { WorkflowView } from '../../protocol/workflow.ts';
import type { Session } from '../../session/session.ts';
import { renderLine } from '../../session/workflows/render-run.ts';

/** The progress of a run on stderr: lines, and at a terminal one line below them that changes. */
export class RunProgress {
  readonly #done: Promise<void>;
  readonly #forget: () => void;
  #isOver = false;
  #phase: string | undefined;
  #status = '';

  constructor(
    private readonly io: Io,
    private readonly session: Session,
  ) {
    const events = session.events();
    this.#forget = session.approvals.subscribe(() => this.#showStatus(''));
    this.#done = this.#read(events);
  }

  async close(): Promise<void> {
    this.#isOver = true;
    this.#forget();
    this.#showStatus('');
    await Promise.race([this.#done, Promise.resolve()]);
  }

  async #read(events: AsyncIterable<AgentEvent>): Promise<void> {
    for await (const event of events) {
      if (this.#isOver) return;
      this.#take(event);
    }
  }

  #take(event: AgentEvent): void {
    if (event.type === 'workflow_changed') this.#note(event.workflow);
    if (event.type === 'notice_given' && event.level !== 'debug') this.#write(event.text);
    if (event.type !== 'workflow_call_changed') return;
    const line = renderLine({ type: 'call', call: event.call });
    if (line !== undefined) this.#write(line);
  }

  #note(workflow: WorkflowView): void {
    const { phase, calls, reason, status } = workflow;
    if (phase !== this.#phase) {
      this.#phase = phase;
      this.#write(`== ${phase}`);
    }
    const ended = calls.total - calls.running - calls.waiting;
    const wait = reason ? ` · ${visibleLine(reason, 120)}` : '';
    this.#showStatus(
      status === 'running'
        ? `${workflow.name} · ${ended} of ${calls.total} calls ended · ${calls.running} running${wait}`
        : '',
    );
  }

  #write(text: string): void {
    const status = this.#status;
    this.#showStatus('');
    this.io.writeErr(`${this.session.hide(visibleLine(text, 2_000))}\n`);
    this.#showStatus(status);
  }

  /** Not below a question: a person types its answer in that line. */
  #showStatus(text: string): void {
    const { terminal } = this.io;
    const shown = this.session.approvals.waiting().length > 0 ? '' : text;
    if (!terminal || shown === this.#status) return;
    this.#status = shown;
    terminal.show(
      `\r\x1b[K${shown === '' ? '' : this.session.hide(visibleLine(shown, terminal.columns() - 1))}`,
    );
  }
}
