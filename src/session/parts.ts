import type { AgentServices } from '../agents/services.ts';
import type { CommandEntry } from '../knowledge/command-source.ts';
import type { Clock } from '../lib/clock.ts';
import type { Result } from '../lib/result.ts';
import type { ApprovalHub } from '../permissions/approval-hub.ts';
import type { Approvals } from '../permissions/approvals.ts';
import type { AgentEvent, TaskHandle } from '../protocol/index.ts';
import type { TerminalSettings } from '../settings/loaded.ts';
import type { PromptHistory } from '../store/prompt-history.ts';
import type { Inbox } from '../tasks/inbox.ts';
import type { Tasks } from '../tasks/tasks.ts';
import type { Coordination } from './coordination.ts';
import type { DreamWatch } from './dream-watch.ts';
import type { Lead } from './lead.ts';
import type { SessionLeases } from './leases.ts';
import type { SessionLog } from './log.ts';
import type { SessionReel } from './open-reel.ts';
import type { OwnCommands } from './own-command.ts';
import type { SessionQuestions } from './questions.ts';
import type { RewindPlace } from './rewind.ts';
import type { SessionMcp } from './session-mcp.ts';
import type { SpawnRequest } from './spawn.ts';

/** What a session is put together from; `openSession` makes it. */
export interface SessionParts {
  readonly id: string;
  readonly cwd: string;
  readonly clock: Clock;
  uuid(): string;
  /** A text without the secrets that the session knows. */
  hide(text: string): string;
  readonly inbox: Inbox;
  readonly tasks: Tasks;
  /** The queue that the session's questions wait in, perhaps beside those of others. */
  readonly hub: ApprovalHub;
  readonly approvals: Approvals;
  readonly questions: SessionQuestions;
  readonly log: SessionLog;
  readonly lead: Lead;
  readonly agents: AgentServices;
  readonly leases: SessionLeases;
  readonly mcp: SessionMcp;
  spawn(request: SpawnRequest, isClosed: () => boolean): Promise<Result<TaskHandle>>;
  readonly ownCommands: OwnCommands;
  /** Dreams while nobody needs the session, where that is switched on. */
  readonly dreams: DreamWatch | undefined;
  /** The slash commands there are now. */
  commands(): CommandEntry[];
  readonly skills: readonly string[];
  /** There where the lead only directs others. */
  readonly coordination: Pick<Coordination, 'scratchpad'> | undefined;
  readonly backgroundWaitMs: number;
  /** What the settings say of the terminal app. */
  readonly terminal: TerminalSettings & { statusLine?: string };
  /** What comes before the first prompt, where the agent's definition says something; handed out once. */
  takeInitialPrompt(): string | undefined;
  /** Prepares what a first shell command would otherwise wait for. */
  warm(): void;
  /** Records what came for the agent and was not read, so that it finds it when the session goes on. */
  keepUnread(): void;
  /** Notes what commands and others changed in files: before every run, so that each prompt has its own state. */
  observeFiles(): Promise<void>;
  /** Notes what commands changed that have ended; after this time it goes on beside other work. */
  settleCommands(limitMs: number): Promise<void>;
  /** What people typed, over all sessions. */
  prompts(): Promise<PromptHistory>;
  /** Where one goes back in this session; a problem where that cannot be. */
  rewindPlace(): Promise<Result<RewindPlace>>;
  /** What the user should know before the first run; each is handed out once. */
  takeNotices(): string[];
  /** Connects what happens outside of a run to the session. Called once. */
  connect(listeners: SessionListeners): void;
  /** Frees what the session holds on disk and in the system. */
  release(): Promise<Result<void>>;
  /** The tape that the session is on, if it is on one. */
  readonly reel: SessionReel | undefined;
}

export interface SessionListeners {
  publish(event: AgentEvent): void;
  /** Something came into the inbox. */
  woken(): void;
  /** A question or a task came or went: whether the session is idle may have changed. */
  stateChanged(): void;
  /** Another process of the user wants this task stopped. */
  stopRequested(taskId: string): void;
}
