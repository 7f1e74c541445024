import { failure, ok, type Result, usage } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import type { BoardItem, BoardStatus } from '../../protocol/team.ts';
import { maxDescription, maxMetadataBytes, maxSubject } from './item-format.ts';

/** Who changes a board. The harness says who that is, never a model. */
export interface BoardActor {
  /** A member's name, `main`, `user`, or `program:NAME`. */
  readonly name: string;
  /** Its claims end with this incarnation. Absent: they last until somebody changes them. */
  readonly incarnation?: string | undefined;
  /** It may take items from others and give them away. */
  readonly leads?: boolean | undefined;
}

export interface ItemChange {
  subject?: string | undefined;
  description?: string | undefined;
  activeForm?: string | undefined;
  status?: BoardStatus | undefined;
  /** Null takes it from its owner. */
  owner?: string | null | undefined;
  /** Merged into what exists; null removes a key. */
  metadata?: Readonly<Record<string, unknown>> | undefined;
}

export interface ChangeRoom {
  /** Unfinished items that this one waits for. */
  blockers: readonly BoardItem[];
  /** The incarnation that holds a member's address now. */
  findHolder(member: string): string | undefined;
}

/** The item after a change, without a new revision; or why it may not be made. Claims that are void were removed before. */
export function applyChange(
  item: BoardItem,
  change: ItemChange,
  actor: BoardActor,
  room: ChangeRoom,
): Result<BoardItem> {
  const moved = moveItem(item, change, actor, room);
  if (!moved.ok) return moved;
  const { claimedBy, activeForm: form, ...rest } = moved.value;
  const activeForm = change.activeForm ?? form;
  const next: BoardItem = {
    ...rest,
    ...(claimedBy === undefined ? {} : { claimedBy }),
    ...(activeForm ? { activeForm } : {}),
    subject: change.subject ?? item.subject,
    description: change.description ?? item.description,
    metadata: change.metadata ? mergeMetadata(item.metadata, change.metadata) : item.metadata,
  };
  return checkBounds(next);
}

export function checkBounds(item: BoardItem): Result<BoardItem> {
  const { subject, description, activeForm = '', metadata } = item;
  if (subject.trim() === '') return usage('The subject of a board item is empty.', 'Give it one line.');
  if (subject.length > maxSubject || activeForm.length > maxSubject)
    return usage(`The subject is longer than ${maxSubject} characters.`, 'Put the rest in the description.');
  if (description.length > maxDescription)
    return usage(`The description is longer than ${maxDescription} characters.`, 'Put the rest in a file.');
  if (Buffer.byteLength(JSON.stringify(metadata)) > maxMetadataBytes)
    return usage(`The metadata is larger than ${maxMetadataBytes} bytes.`, 'Put the rest in a file.');
  return ok(item);
}

/** Status, owner and claim. */
function moveItem(
  item: BoardItem,
  change: ItemChange,
  actor: BoardActor,
  room: ChangeRoom,
): Result<BoardItem> {
  if (change.status === undefined && change.owner === undefined) return ok(item);
  const isTakenAway = change.owner === null && item.status === 'in_progress';
  const status = change.status ?? (isTakenAway ? 'pending' : item.status);
  const foreign = findForeignOwner(item, actor);
  const wantsOther = change.owner !== undefined && change.owner !== null && change.owner !== actor.name;
  if (foreign !== undefined && !(actor.leads && (change.owner !== undefined || status !== 'in_progress')))
    return failure(
      `${nameItem(item)} ${item.status === 'in_progress' ? 'is claimed by' : 'belongs to'} ${foreign}.`,
      'Choose another item, or ask its owner or the leader.',
    );
  switch (status) {
    case 'in_progress': {
      const owner = change.owner === undefined ? (item.owner ?? actor.name) : change.owner;
      if (owner === null)
        return usage(
          `${nameItem(item)} is in progress and needs an owner.`,
          'Set it to pending to release it.',
        );
      if (item.status !== 'in_progress' && room.blockers.length > 0) return describeBlocked(item, room);
      return ok(withOwner(item, status, owner, wantsOther ? room.findHolder(owner) : actor.incarnation));
    }
    case 'pending': {
      const isReleased = item.status !== 'pending';
      const owner = change.owner === undefined ? (isReleased ? null : item.owner) : change.owner;
      // An agent that takes an item for itself loses it when it ends; what others give it, it keeps.
      return ok(withOwner(item, status, owner, owner === actor.name ? actor.incarnation : undefined));
    }
    case 'completed': {
      if (item.status === 'pending' && room.blockers.length > 0) return describeBlocked(item, room);
      return ok(withOwner(item, status, change.owner ?? item.owner ?? actor.name, undefined));
    }
    case 'deleted':
      return ok(withOwner(item, status, item.owner, undefined));
  }
}

/** Another than the actor that has the item: by name, or the same name in another incarnation. */
function findForeignOwner(item: BoardItem, { name, incarnation }: BoardActor): string | undefined {
  if (item.owner === null || item.status === 'completed' || item.status === 'deleted') return undefined;
  if (item.owner !== name) return item.owner;
  const isOther = item.claimedBy !== undefined && item.claimedBy !== incarnation;
  return isOther ? `another ${name} (${item.claimedBy})` : undefined;
}

function withOwner(
  { claimedBy: _, ...item }: BoardItem,
  status: BoardStatus,
  owner: string | null,
  claimedBy: string | undefined,
): BoardItem {
  return { ...item, status, owner, ...(claimedBy === undefined || owner === null ? {} : { claimedBy }) };
}

function describeBlocked(item: BoardItem, { blockers }: ChangeRoom): Result<never> {
  const shown = blockers.slice(0, 5).map((blocker) => `${nameItem(blocker)} (${describeHolder(blocker)})`);
  return failure(
    `${nameItem(item)} is blocked by ${shown.join(', ')}${blockers.length > 5 ? ' and others' : ''}.`,
    'Choose another item; its owner is woken when it becomes free.',
  );
}

function describeHolder({ owner, status }: BoardItem): string {
  if (owner === null) return 'not claimed';
  return status === 'in_progress' ? `claimed by ${owner}` : `assigned to ${owner}`;
}

export function nameItem({ id, subject }: Pick<BoardItem, 'id' | 'subject'>): string {
  return `${id} "${visibleLine(subject, 60)}"`;
}

function mergeMetadata(
  before: Readonly<Record<string, unknown>>,
  change: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...before, ...change }).filter(([, value]) => value !== null));
}
