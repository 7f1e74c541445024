import type { Result } from '../lib/result.ts';
import type { CostReport, Lease, MessageRecord, TaskView } from '../protocol/index.ts';
import type { Checkpoint } from '../store/checkpoints.ts';
import type { PromptHistory } from '../store/prompt-history.ts';
import { type ContextReport, reportContext } from './context-report.ts';
import type { SessionParts } from './parts.ts';
import type { RewindReport } from './rewind-report.ts';
import type { SessionRewind } from './rewind-session.ts';
import { findTask } from './task-commands.ts';

/** What can be asked about a session without changing anything in it. */
export class SessionViews {
  readonly #parts: SessionParts;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /** What was typed before, in this session and others. Surfaces add to it what a person types; the session does not. */
  prompts(): Promise<PromptHistory> {
    return this.#parts.prompts();
  }

  /** What the next request takes of the model's window, by its parts. */
  context(): ContextReport {
    return reportContext(this.#parts.lead.createContext());
  }

  /** The conversation as it stands, as records: from the last compaction on. */
  messages(): readonly MessageRecord[] {
    return this.#parts.lead.conversation.records;
  }

  /** The points that one can go back to, oldest first. */
  async checkpoints(): Promise<Result<Checkpoint[]>> {
    const { listCheckpoints } = await import('./rewind-session.ts');
    return listCheckpoints(this.#parts);
  }

  /** What `rewind` would do. */
  async previewRewind(wish: SessionRewind): Promise<Result<RewindReport>> {
    const { previewIn } = await import('./rewind-session.ts');
    return previewIn(this.#parts, wish);
  }

  tasks(): TaskView[] {
    return this.#parts.tasks.list();
  }

  /** A task by its id, or an agent by its name; also one that ended long ago. */
  task(address: string): TaskView | undefined {
    return findTask(this.#parts.agents, address);
  }

  /** What the session has cost so far, by agent and model. */
  cost(): CostReport {
    return this.#parts.lead.cost();
  }

  /** The files that agents at work are writing, each leased to one of them. */
  leases(): Lease[] {
    return this.#parts.leases.leases.list();
  }
}
