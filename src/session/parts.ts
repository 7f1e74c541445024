import type { Clock } from '../lib/clock.ts';
import type { Result } from '../lib/result.ts';
import type { AgentContext } from '../loop/agent-context.ts';
import type { Approvals } from '../permissions/approvals.ts';
import type { AgentEvent, PermissionMode } from '../protocol/index.ts';
import type { Inbox } from '../tasks/inbox.ts';
import type { Tasks } from '../tasks/tasks.ts';
import type { SessionLog } from './log.ts';

/** What a session is put together from; `openSession` makes it. */
export interface SessionParts {
  readonly id: string;
  readonly cwd: string;
  readonly clock: Clock;
  readonly inbox: Inbox;
  readonly tasks: Tasks;
  readonly approvals: Approvals;
  readonly log: SessionLog;
  /** What the user should know before the first run; each is handed out once. */
  takeNotices(): string[];
  /** Records model, mode and directory where they changed since the last time. */
  noteState(): Result<void>;
  /** The lead as it stands now: model, mode and rules of the next run. */
  readonly lead: AgentContext;
  leadFor(signal: AbortSignal): AgentContext;
  setMode(mode: PermissionMode): Result<void>;
  /** The name of the model that is now in force. */
  setModel(name: string | null): Result<string>;
  /** Connects what happens outside of a run to the session. Called once. */
  connect(listeners: SessionListeners): void;
  /** Frees what the session holds on disk and in the system. */
  release(): Promise<void>;
}

export interface SessionListeners {
  publish(event: AgentEvent): void;
  woken(): void;
  questionsChanged(): void;
  tasksChanged(): void;
}
