import type { PermissionMode } from './permission.ts';

/**
 * The nouns of a team. A member's address is `name@team`; the leader is `team-lead`. An address is held by one
 * incarnation at a time: control mail (shutdown, plan, permission) is for one incarnation and void for any other (TM11).
 */
export const leaderName = 'team-lead';

export const mailKinds = [
  'text',
  'broadcast',
  /** A member's final text of a run, sent by the harness (TM12). */
  'report',
  'idle',
  'shutdown_request',
  'shutdown_response',
  'plan_approval_request',
  'plan_approval_response',
  'permission_request',
  'permission_response',
  'task_assignment',
] as const;

export type MailKind = (typeof mailKinds)[number];

/** One message, as it is in a box. */
export interface MailMessage {
  format: 1;
  /** A UUID. Deduplication is by this id. */
  id: string;
  team: string;
  /** A member's name, or `user`, or `program:NAME` for another program. Set by the harness, never by the text. */
  from: string;
  /** The incarnation that sent it, for members. */
  fromIncarnation?: string;
  to: string;
  /** The only incarnation that it is for; always present in control mail. */
  toIncarnation?: string;
  kind: MailKind;
  sentAt: string;
  /** Grows with every message of one sender: order per sender (TM4). */
  order: number;
  text: string;
  summary?: string;
  /** The fields of a control message, by its kind. */
  body?: Record<string, unknown>;
  inReplyTo?: string;
  /** The sender counts as waiting for an answer until one comes (TM15). */
  awaitsAnswer?: boolean;
}

/** `written`: it is in the box. `delivered`: it is in the reader's inbox, durably. `read`: a model request carried it. */
export type MailState = 'written' | 'delivered' | 'read' | 'void' | 'quarantined';

/** Where teammates run; `auto` takes panes where the terminal has any (TM3). */
export const teammateModes = ['auto', 'in-process', 'tmux', 'iterm2', 'command'] as const;

export type TeammateMode = (typeof teammateModes)[number];

/** How a member runs. */
export type MemberKind = 'lead' | 'in-process' | 'pane' | 'session' | 'program';

/** Told apart by the harness, never by a model. */
export type MemberState =
  | 'starting'
  | 'working'
  | 'idle'
  | 'waiting'
  | 'stuck'
  | 'suspended'
  | 'dead'
  | 'ended';

/** A member of a team, as stored. */
export interface MemberRecord {
  format: 1;
  name: string;
  team: string;
  /** The current holder of the address. */
  incarnation: string;
  kind: MemberKind;
  agentId: string | null;
  /** The session that it is part of, or that it is. */
  sessionId: string;
  agentType?: string;
  description?: string;
  /** Of a leader: the mode of its session, which teammates in panes follow. */
  permissionMode?: PermissionMode;
  colour: string;
  model?: string;
  /** Names of its tools: what it can do. */
  tools?: string[];
  cwd?: string;
  /** Where its executor shows it, e.g. a tmux pane id. */
  pane?: { executor: string; id: string };
  /** The wanted state: reconciled with the running one at every start. */
  wanted: 'running' | 'ended';
  state: MemberState;
  /** Why it is in this state, or what it waits for, in words. */
  reason?: string;
  stateSince: string;
  heartbeatAt: string;
  /** The mail id of its last report. */
  lastReport?: string;
  joinedAt: string;
  /** What it waits for, as only its own process knows: an answer of the user, a slot, a file, a limit. */
  waits?: MemberWait[];
  /** It was never started: only its incarnation is remembered. */
  withdrawn?: true;
}

export interface TeamRecord {
  format: 1;
  name: string;
  /** Tells namesakes apart. */
  id: string;
  description?: string;
  leaderSession: string;
  cwd: string;
  createdAt: string;
  endedAt?: string;
}

/** A team as surfaces show it. */
export interface TeamView {
  name: string;
  description?: string;
  members: MemberView[];
  /** Who waits for whom or what now. */
  waits?: WaitEdge[];
}

export interface MemberView
  extends Pick<
    MemberRecord,
    'name' | 'kind' | 'agentId' | 'agentType' | 'colour' | 'state' | 'reason' | 'stateSince' | 'model'
  > {
  unread: number;
  /** Board items that it has claimed, by id. */
  items: string[];
}

export const boardStatuses = ['pending', 'in_progress', 'completed', 'deleted'] as const;

export type BoardStatus = (typeof boardStatuses)[number];

export const boardLinks = ['blocks', 'parent', 'related', 'discovered-from'] as const;

export type BoardLinkKind = (typeof boardLinks)[number];

/** One entry of a team's shared list, at one revision. */
export interface BoardItem {
  format: 1;
  id: string;
  /** Grows by one with every change; a change is a compare-and-set on it. */
  revision: number;
  subject: string;
  description: string;
  activeForm?: string;
  status: BoardStatus;
  owner: string | null;
  /** The incarnation that claimed it: the claim ends with it. */
  claimedBy?: string;
  /** `{kind: 'blocks', to}`: this item blocks `to`. Shown in both directions. */
  links: { kind: BoardLinkKind; to: string }[];
  metadata: Record<string, unknown>;
  createdBy: string;
  createdAt: string;
  changedBy: string;
  changedAt: string;
}

/** Somebody or something that a member waits for (TM15). */
/** A wait as the member's own record has it. */
export type MemberWait = Omit<WaitEdge, 'from'>;

export interface WaitEdge {
  from: string;
  /** A member's name, or a thing: `item:ID`, `file:PATH`, `user`, `slot`, `budget`, `provider:NAME`. */
  to: string;
  kind: 'mail' | 'item' | 'lease' | 'approval' | 'slot' | 'budget' | 'provider';
  /** In words, for people. */
  what: string;
  since: string;
}
