import type { AgentStep, Placement } from '../agents/kernel.ts';
import type { Teams } from '../agents/teams.ts';
import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { Result } from '../lib/result.ts';
import type { Tool } from '../protocol/index.ts';
import type { Inbox } from '../tasks/inbox.ts';
import type { Tasks } from '../tasks/tasks.ts';
import type { SessionEvents } from './events.ts';

/**
 * A named part of a session: one file or folder, one line in the list of features. It owns its state. A feature that
 * needs another takes it, or a narrow port of it, as an argument of its factory.
 */
export interface Feature<Port = unknown, Kernel = FeatureKernel> {
  readonly name: string;
  /** Called once, when the kernel and all earlier features are open. */
  open(kernel: Kernel): Opened<Port> | Promise<Opened<Port>>;
}

type Opened<Port> = Result<Contribution & Port> | (Contribution & Port);

/** The session as seen by a feature that a program adds. */
export interface FeatureKernel {
  readonly id: string;
  readonly place: {
    readonly cwd: string;
    /** The repository's top directory, or `cwd` outside a repository. */
    readonly root: string;
    readonly clock: Clock;
    readonly ids: Ids;
  };
  /** The process's variables, plus those that settings add. */
  readonly environment: Readonly<Record<string, string>>;
  readonly events: SessionEvents;
  /** Letters posted here are read by the lead. */
  readonly inbox: Inbox;
  readonly tasks: Tasks;
}

/** A feature's contribution to its session. */
export interface Contribution {
  /** Tools that touch something outside. On a tape their results are recorded. */
  tools?: readonly Tool[] | undefined;
  /** Tools that drive the session itself: their effects are on the tape by other means. */
  drivingTools?: readonly Tool[] | undefined;
  /** Text added at the end of the lead's system prompt. */
  promptParts?: readonly string[] | undefined;
  /** Text for the lead before the first prompt of a conversation, as a reminder; undefined if there is nothing to tell. */
  briefing?(): Promise<string | undefined>;
  /** Steps added to each agent that is started, after the harness's own; undone when the agent ends. */
  agentSteps?: readonly AgentStep[] | undefined;
  /** Places besides this process in which agents can run. */
  placements?: readonly Placement[] | undefined;
  /** The teams that agents of the session can be members of. */
  teams?: Teams | undefined;
  /** Notices for the user before the first run. */
  notices?: readonly string[] | undefined;
  /** Called once every feature is open, in the order of opening. */
  ready?(): void;
  /** Releases what it holds. Features close in the reverse order of opening, also when a later one fails to open. */
  close?(end: SessionEnd): Closed | Promise<Closed>;
}

/** How the session ends for this process. */
export interface SessionEnd {
  /**
   * Another process has taken the session over, because this one was paused. The session's files, and all that belongs to it, are that
   * process's: a feature only ends its own processes and connections, and writes, starts and removes nothing.
   */
  readonly isPassed: boolean;
}

/** Problems go to the caller that closed the session. */
type Closed = void | Result<void>;
