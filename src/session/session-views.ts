import type { Result } from '../lib/result.ts';
import type { MessageRecord } from '../protocol/index.ts';
import type { Checkpoint } from '../store/checkpoints.ts';
import type { PromptHistory } from '../store/prompt-history.ts';
import { type ContextReport, reportContext } from './context-report.ts';
import type { SessionPorts } from './features.ts';
import type { Kernel } from './kernel.ts';
import type { RewindReport } from './rewind-report.ts';
import type { SessionRewind } from './rewind-session.ts';

/** What can be asked about a session without changing anything in it. */
export class SessionViews {
  readonly #kernel: Kernel;
  readonly #ports: SessionPorts;

  constructor(kernel: Kernel, ports: SessionPorts) {
    this.#kernel = kernel;
    this.#ports = ports;
  }

  /** What was typed before, in this session and others. Surfaces add to it what a person types; the session does not. */
  async prompts(): Promise<PromptHistory> {
    const { openPromptHistory } = await import('../store/prompt-history.ts');
    const { place, options, tape } = this.#kernel;
    return openPromptHistory({
      home: place.layout.home,
      clock: place.clock,
      hide: (text) => place.secrets.hide(text),
      isOff: options.persist === false || tape !== undefined,
    });
  }

  /** What the next request takes of the model's window, by its parts. */
  context(): ContextReport {
    return reportContext(this.#ports.lead.createContext());
  }

  /** The conversation as it stands, as records: from the last compaction on. */
  messages(): readonly MessageRecord[] {
    return this.#ports.lead.conversation.records;
  }

  /** The points that one can go back to, oldest first. */
  async checkpoints(): Promise<Result<Checkpoint[]>> {
    const { listCheckpoints } = await import('./rewind-session.ts');
    return listCheckpoints(this.#kernel, this.#ports);
  }

  /** What `rewind` would do. */
  async previewRewind(wish: SessionRewind): Promise<Result<RewindReport>> {
    const { previewIn } = await import('./rewind-session.ts');
    return previewIn(this.#kernel, this.#ports, wish);
  }
}
