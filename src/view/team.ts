import type {
  BoardItem,
  BoardStatus,
  MailKind,
  MailState,
  MemberKind,
  MemberState,
  WaitEdge,
} from '../protocol/team.ts';

/** The session's team, its mail and the board, as far as a screen shows them. */
export interface ShownTeam {
  /** Null until there is a team. One that has ended stays until the next one: its mail can still be read. */
  readonly name: string | null;
  readonly description: string;
  readonly isOpen: boolean;
  /** The leader first, then in the order in which they joined. */
  readonly members: readonly ShownMember[];
  readonly waits: readonly WaitEdge[];
  /** Members that all wait for each other; empty if there are none. */
  readonly circle: readonly WaitEdge[];
  /** The newest, in the order in which it was sent. */
  readonly mail: readonly ShownMail[];
  /** How many older messages are no longer held. */
  readonly mailLeft: number;
  readonly board: ShownBoard;
}

export interface ShownMember {
  readonly name: string;
  readonly kind: MemberKind;
  /** The agent of this session that it is; null for the lead and for members in other processes. */
  readonly agentId: string | null;
  /** A name of the team's palette. */
  readonly colour: string;
  readonly state: MemberState;
  /** Why it is in this state, or what it waits for. */
  readonly reason: string;
  readonly since: number;
  readonly unread: number;
  /** Ids of the board items that it has claimed. */
  readonly items: readonly string[];
}

/** One message. A broadcast is shown once, with all its receivers. */
export interface ShownMail {
  readonly id: string;
  readonly at: number;
  readonly from: string;
  readonly to: readonly ShownReceiver[];
  readonly kind: MailKind;
  readonly summary: string;
  readonly text: string;
}

export interface ShownReceiver {
  readonly name: string;
  /** Of this receiver's copy. */
  readonly mailId: string;
  readonly state: MailState;
}

export interface ShownBoard {
  /** The name of its team, or the id of a session without one. */
  readonly name: string | null;
  /** Without deleted ones, in the order in which they were created. */
  readonly items: readonly ShownItem[];
}

export interface ShownItem extends Pick<BoardItem, 'id' | 'revision' | 'links' | 'owner'> {
  readonly status: BoardStatus;
  readonly subject: string;
  readonly description: string;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly changedBy: string;
  readonly changedAt: number;
}

export const noTeam: ShownTeam = {
  name: null,
  description: '',
  isOpen: false,
  members: [],
  waits: [],
  circle: [],
  mail: [],
  mailLeft: 0,
  board: { name: null, items: [] },
};

/** Surfaces have their colours in this order. */
const colours = ['blue', 'pink', 'green', 'yellow', 'cyan', 'red', 'purple', 'orange'];

/** The number of a member's colour, as agents have it: 0 … `colourCount` - 1. */
export function findColour(name: string): number {
  return Math.max(0, colours.indexOf(name));
}

/** Members other than the leader that have not ended. */
export function listTeammates({ team }: Pick<{ team: ShownTeam }, 'team'>): ShownMember[] {
  return team.isOpen ? team.members.filter(({ kind, state }) => kind !== 'lead' && state !== 'ended') : [];
}
