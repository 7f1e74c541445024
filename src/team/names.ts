import { leaderName } from '../protocol/team.ts';

/** They mean the user, the lead of a session, and all members; the leader has one of its own. */
const reserved: ReadonlySet<string> = new Set(['user', 'main', 'all', '*']);

/** In any spelling: not every disk tells them apart. */
export function isReservedName(text: string): boolean {
  const lower = text.toLowerCase();
  return reserved.has(lower) || lower === leaderName;
}

const memberName = /^[A-Za-z][\w.-]{0,63}$/;
const programAddress = /^program:[A-Za-z0-9][\w.-]{0,63}$/;

/** Also true for `team-lead`. Safe as a file name. */
export function isMemberName(text: string): boolean {
  return memberName.test(text) && (text === leaderName || !isReservedName(text));
}

/** The sender and the box of another program: `program:NAME`. */
export function isProgramAddress(text: string): boolean {
  return programAddress.test(text);
}

/** Owners of boxes: members, the user and other programs. */
export function isAddress(text: string): boolean {
  return text === 'user' || isMemberName(text) || isProgramAddress(text);
}

/** The lease of an address. Names of leases have no dots. */
export function nameMemberLease(member: string): string {
  return `member-${member.replaceAll('_', '__').replaceAll('.', '_d')}`;
}
