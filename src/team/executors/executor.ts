import type { Result } from '../../lib/result.ts';
import type { MemberRecord } from '../../protocol/team.ts';

export const executorTypes = ['in-process', 'tmux', 'iterm2', 'command'] as const;

export type ExecutorType = (typeof executorTypes)[number];

/** A teammate to start. Whoever starts it has its address, its ids and its place in the team. */
export interface TeammateSpec {
  readonly name: string;
  readonly team: string;
  /** A tmux colour (`cyan`, `colour208`) or `#rrggbb`. Anything else is shown without a colour. */
  readonly colour: string;
  readonly agentId: string;
  readonly taskId: string;
  /** The session that it is part of; in a pane, the session that it becomes. */
  readonly sessionId: string;
  /** True: that session exists, and is continued. */
  readonly isResumed?: boolean;
  readonly prompt: string;
  readonly cwd: string;
  readonly agentType?: string;
  readonly description?: string;
  readonly model?: string;
  readonly permissionMode?: string;
  /** In a pane: the name of the worktree that it makes and works in. */
  readonly worktree?: string;
  /** In a pane: how its session is opened, as the session of its leader says it. Only that room reads it. */
  readonly session?: Readonly<Record<string, unknown>>;
  /**
   * Variables for a process of its own, such as keys of providers. They travel in the launch file, which is removed when it
   * is read, and never in arguments.
   */
  readonly environment?: Readonly<Record<string, string>>;
}

export interface SpawnedTeammate {
  readonly agentId: string;
  readonly taskId: string;
  /** Where it is shown, for its record. */
  readonly pane?: NonNullable<MemberRecord['pane']>;
  /** Ends it at once. */
  abort(): void;
}

/** A member, as far as its executor needs to know it: its stored record will do. */
export type ExecutedMember = Pick<MemberRecord, 'name' | 'team' | 'pane'>;

/** A member that should be running, for `reconcile`. */
export type WantedMember = ExecutedMember & Partial<Pick<MemberRecord, 'kind'>>;

export interface Reconciled {
  /** Members whose pane and process run. */
  kept: string[];
  /** Members, or former ones, whose panes were closed. */
  closed: string[];
  /** What could not be closed, and why. */
  problems: string[];
}

/**
 * Where teammates run (TM2). It starts them, shows them and ends them; what they say to each other is mail, whatever the
 * executor. It keeps nothing in memory that a restarted leader would miss.
 */
export interface TeammateExecutor {
  readonly type: ExecutorType;
  /** A problem says what is missing and how to get it. */
  isAvailable(): Promise<Result<void>>;
  spawn(spec: TeammateSpec): Promise<Result<SpawnedTeammate>>;
  /** The user's words, as if typed where the teammate runs. Mail between members does not go this way. */
  sendMessage(member: ExecutedMember, text: string): Promise<Result<void>>;
  /** Asks it to end: it may finish first, or refuse. */
  terminate(member: ExecutedMember, reason: string): Promise<Result<void>>;
  /** Ends it at once, with everything that it started. A member that does not run is not a problem. */
  kill(member: ExecutedMember): Promise<Result<void>>;
  /** Whether its process runs. What one that ended by itself left behind is cleared up. */
  isActive(member: ExecutedMember): Promise<boolean>;
  /** Absent where there is nothing to look at. */
  readonly panes?: PaneControls;
}

/** What can be done to the pane of a member. */
export interface PaneControls {
  title(member: ExecutedMember, title: string, colour: string): Promise<Result<void>>;
  hide(member: ExecutedMember): Promise<Result<void>>;
  show(member: ExecutedMember): Promise<Result<void>>;
}

export function formatAddress({ name, team }: Pick<ExecutedMember, 'name' | 'team'>): string {
  return `${name}@${team}`;
}
