import type { AgentStep, Placement } from '../agents/kernel.ts';
import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { Result } from '../lib/result.ts';
import type { Tool } from '../protocol/index.ts';
import type { Inbox } from '../tasks/inbox.ts';
import type { Tasks } from '../tasks/tasks.ts';
import type { SessionEvents } from './events.ts';

/**
 * A part of a session that can be named: one file or folder, one line in the list of features. Its state lives inside it.
 * A feature that needs another takes it, or a narrow port of it, as an argument of its factory.
 */
export interface Feature<Port = unknown, Kernel = FeatureKernel> {
  readonly name: string;
  /** Called once, when the kernel and all earlier features are open. */
  open(kernel: Kernel): Opened<Port> | Promise<Opened<Port>>;
}

type Opened<Port> = Result<Contribution & Port> | (Contribution & Port);

/** The session as a feature of the program's own sees it. */
export interface FeatureKernel {
  readonly id: string;
  readonly place: {
    readonly cwd: string;
    /** The repository's top directory, or `cwd` outside of one. */
    readonly root: string;
    readonly clock: Clock;
    readonly ids: Ids;
  };
  /** The process's variables, and those that settings add. */
  readonly environment: Readonly<Record<string, string>>;
  readonly events: SessionEvents;
  /** What is posted here the lead reads. */
  readonly inbox: Inbox;
  readonly tasks: Tasks;
}

/** What a feature gives to its session. */
export interface Contribution {
  /** Tools that touch something outside. On a tape their results are recorded. */
  tools?: readonly Tool[] | undefined;
  /** Tools that drive the session itself: what they do is on the tape by other means. */
  drivingTools?: readonly Tool[] | undefined;
  /** Parts of the lead's system prompt, at its end. */
  promptParts?: readonly string[] | undefined;
  /** What it adds to each agent that is started, after the steps of the harness, and what it takes back when that ends. */
  agentSteps?: readonly AgentStep[] | undefined;
  /** Places besides this process in which agents can run. */
  placements?: readonly Placement[] | undefined;
  /** What the user should know before the first run. */
  notices?: readonly string[] | undefined;
  /** Called once every feature is open, in the order of opening. */
  ready?(): void;
  /** Gives back what it holds. Features close in the reverse order of opening, also when a later one fails to open. */
  close?(): Closed | Promise<Closed>;
}

/** A problem is told to whoever closed the session. */
type Closed = void | Result<void>;
