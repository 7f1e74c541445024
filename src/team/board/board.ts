import { type Clock, timestamp } from '../../lib/clock.ts';
import { isThere } from '../../lib/files/small-files.ts';
import type { Machine } from '../../lib/machine.ts';
import { failure, ok, type Result, usage } from '../../lib/result.ts';
import { compareText } from '../../lib/text/compare-text.ts';
import { visibleLine } from '../../lib/text/text.ts';
import type { BoardItem, BoardLinkKind } from '../../protocol/team.ts';
import { watchFiles } from '../watch-files.ts';
import { applyChange, type BoardActor, checkBounds, type ItemChange, nameItem } from './apply-change.ts';
import { BoardFollower, type BoardListener } from './follow-board.ts';
import { ItemFiles } from './item-files.ts';
import { isItemId, maxLinks } from './item-format.ts';
import { findLoop, hasLink, listBlockers } from './links.ts';

export interface BoardOptions {
  directory: string;
  machine: Machine;
  clock: Clock;
  /** Whether this incarnation still holds that member's address: its claims end with it. Without it claims do not end. */
  isAlive?: ((member: string, incarnation: string) => boolean) | undefined;
  /** The incarnation that holds a member's address now. */
  findHolder?: ((member: string) => string | undefined) | undefined;
  /** Damaged files, in a sentence. */
  told?: ((problem: string) => void) | undefined;
  /** Whether other processes may change it: their changes are noticed. A board in memory has none. */
  isShared?: boolean | undefined;
}

export interface BoardDraft {
  subject: string;
  description?: string | undefined;
  activeForm?: string | undefined;
  owner?: string | undefined;
  metadata?: Readonly<Record<string, unknown>> | undefined;
  links?: readonly { kind: BoardLinkKind; to: string }[] | undefined;
}

export interface BoardChange extends ItemChange {
  addBlocks?: readonly string[] | undefined;
  addBlockedBy?: readonly string[] | undefined;
  addLinks?: readonly { kind: BoardLinkKind; to: string }[] | undefined;
  /** Removes all links between this item and these, in both directions. */
  removeLinks?: readonly string[] | undefined;
}

export interface BoardUpdate {
  item: BoardItem;
  before: BoardItem;
  /** The fields that are different now. */
  fields: string[];
}

export const maxItems = 10_000;
const maxAttempts = 100;
const maxIdAttempts = 20;

/** A shared list on disk, for any number of processes. Nothing is made on disk before the first item. */
export function openBoard(options: BoardOptions): Board {
  return new Board(options);
}

export class Board {
  readonly #files: ItemFiles;
  readonly #follower: BoardFollower;
  #stopWatching: (() => void) | undefined;

  constructor(private readonly options: BoardOptions) {
    this.#files = new ItemFiles(options.directory, options.machine, options.told);
    this.#follower = new BoardFollower(() => this.#listAll());
  }

  get directory(): string {
    return this.options.directory;
  }

  /** Without deleted ones, the oldest first. A claim whose incarnation is gone is not shown. */
  list(): BoardItem[] {
    return this.#listAll().filter(({ status }) => status !== 'deleted');
  }

  find(id: string): BoardItem | undefined {
    const item = isItemId(id) ? this.#files.find(id) : undefined;
    return item === undefined || item.status === 'deleted' ? undefined : this.#withoutVoidClaim(item);
  }

  blockers(id: string): BoardItem[] {
    return listBlockers(this.list(), id);
  }

  /** An id that no item has, for a caller that must know it before the item exists. */
  reserveId(): string {
    const { ids } = this.options.machine;
    const taken = new Set(this.#files.list().map(({ id }) => id));
    for (let attempt = 0; ; attempt++) {
      const id = ids.token(4 + Math.floor(attempt / maxIdAttempts));
      if (!taken.has(id) && /[a-z]/.test(id)) return id;
    }
  }

  create(draft: BoardDraft, actor: BoardActor, wantedId?: string): Result<BoardItem> {
    const existing = this.#files.list();
    if (existing.length >= maxItems)
      return failure(`This board has ${maxItems} items, which is the limit.`, `It is in ${this.directory}.`);
    const links = [...(draft.links ?? [])];
    const unknown = links.find(({ to }) => !this.find(to));
    if (unknown) return this.describeUnknown(unknown.to);
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const id = attempt === 0 && wantedId !== undefined ? wantedId : this.reserveId();
      const item = checkBounds(this.#draftItem(id, draft, actor));
      if (!item.ok) return item;
      const placed = this.#files.place(item.value);
      if (placed === 'placed') return ok(this.#tell(item.value));
      if (placed !== 'taken') return placed;
    }
    return failure(`${this.directory}: no free id was found for a new item.`, 'Try again.');
  }

  /** Begins work on an item. Of several that try, one wins; it keeps the item until it ends or gives it back. */
  claim(id: string, actor: BoardActor): Result<BoardItem> {
    const done = this.change(id, { status: 'in_progress', owner: actor.name }, actor);
    return done.ok ? ok(done.value.item) : done;
  }

  release(id: string, actor: BoardActor): Result<BoardItem> {
    const done = this.change(id, { status: 'pending', owner: null }, actor);
    return done.ok ? ok(done.value.item) : done;
  }

  complete(id: string, actor: BoardActor): Result<BoardItem> {
    const done = this.change(id, { status: 'completed' }, actor);
    return done.ok ? ok(done.value.item) : done;
  }

  /** Links that are stored with other items come first: a claim in the same change then sees its blockers. */
  change(id: string, change: BoardChange, actor: BoardActor): Result<BoardUpdate> {
    const found = this.find(id);
    if (!found) return this.describeUnknown(id);
    const { addBlocks = [], addBlockedBy = [], addLinks = [], removeLinks = [] } = change;
    const own = [...addBlocks.map((to) => ({ kind: 'blocks' as const, to })), ...addLinks];
    for (const other of [...addBlockedBy, ...own.map(({ to }) => to), ...removeLinks])
      if (!this.find(other)) return this.describeUnknown(other);
    const fields = new Set<string>();
    for (const other of addBlockedBy) {
      const linked = this.#link(other, { kind: 'blocks', to: id }, actor);
      if (!linked.ok) return linked;
      if (linked.value) fields.add('blockedBy');
    }
    for (const link of own) {
      const linked = this.#link(id, link, actor);
      if (!linked.ok) return linked;
      if (linked.value) fields.add(link.kind === 'blocks' ? 'blocks' : 'links');
    }
    for (const other of removeLinks) {
      const removed = [this.#unlink(id, other, actor), this.#unlink(other, id, actor)];
      for (const one of removed) if (!one.ok) return one;
      if (removed.some((one) => one.ok && one.value)) fields.add('links');
    }
    const room = { findHolder: (member: string) => this.options.findHolder?.(member) };
    const done = this.#revise(id, actor, (item) =>
      applyChange(item, change, actor, { ...room, blockers: this.blockers(id) }),
    );
    if (!done.ok) return done;
    return ok({ ...done.value, before: found, fields: [...fields, ...done.value.fields] });
  }

  /** Changes since the last look are told to all listeners. Called by the watch; cheap where nothing changed. */
  look(): void {
    this.#follower.look();
  }

  /** Calls back for every change from now on, of this process and of others. */
  watch(listener: BoardListener): () => void {
    const stop = this.#follower.follow(listener);
    this.#watchOthers();
    return () => {
      stop();
      if (this.#follower.size === 0) this.close();
    };
  }

  close(): void {
    this.#stopWatching?.();
    this.#stopWatching = undefined;
  }

  /** That no such item exists, and which do. */
  describeUnknown(id: string): Result<never> {
    const known = this.list().slice(-20);
    const hint =
      known.length === 0 ? 'The board is empty.' : `Items: ${known.map((item) => item.id).join(', ')}.`;
    return usage(`There is no item "${visibleLine(id, 40)}" on the board.`, hint);
  }

  #listAll(): BoardItem[] {
    return this.#files
      .list()
      .map((item) => this.#withoutVoidClaim(item))
      .sort((one, other) => compareText(one.createdAt, other.createdAt) || compareText(one.id, other.id));
  }

  /**
   * Read, changed and placed as the next revision; again from the start where another process was faster. `fields` is empty
   * where nothing is different.
   */
  #revise(
    id: string,
    actor: BoardActor,
    work: (item: BoardItem) => Result<BoardItem>,
  ): Result<{ item: BoardItem; fields: string[] }> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const stored = this.#files.find(id);
      if (!stored || stored.status === 'deleted') return this.describeUnknown(id);
      const wanted = work(this.#withoutVoidClaim(stored));
      if (!wanted.ok) return wanted;
      const fields = listChanged(stored, wanted.value);
      if (fields.length === 0 && stored.claimedBy === wanted.value.claimedBy)
        return ok({ item: stored, fields: [] });
      const now = { changedBy: actor.name, changedAt: timestamp(this.options.clock) };
      const item = { ...wanted.value, ...now, revision: stored.revision + 1 };
      const placed = this.#files.place(item);
      if (placed === 'placed') return ok({ item: this.#tell(item), fields });
      if (placed !== 'taken') return placed;
    }
    return failure(`Item ${id} is being changed by other processes right now.`, 'Try again.');
  }

  /**
   * Looked at again with the link in place: of two processes that close a loop from both sides at least one sees it and takes
   * its link back.
   */
  #link(from: string, link: BoardItem['links'][number], actor: BoardActor): Result<boolean> {
    if (from === link.to) return usage(`Item ${from} cannot be linked to itself.`);
    const added = this.#revise(from, actor, (item) => {
      if (hasLink(item, link.kind, link.to)) return ok(item);
      if (item.links.length >= maxLinks)
        return usage(`${nameItem(item)} has ${maxLinks} links: no more fit.`);
      return ok({ ...item, links: [...item.links, link] });
    });
    if (!added.ok) return added;
    const isDirected = link.kind === 'blocks' || link.kind === 'parent';
    const loop = isDirected ? findLoop(this.list(), link.kind, from) : undefined;
    if (!loop) return ok(added.value.fields.length > 0);
    if (added.value.fields.length > 0) this.#unlink(from, link.to, actor, link.kind);
    return usage(
      `That link would close a loop: ${loop.join(link.kind === 'blocks' ? ' blocks ' : ' is part of ')}.`,
      'Remove one of the other links first, or leave this one out.',
    );
  }

  #unlink(from: string, to: string, actor: BoardActor, kind?: BoardLinkKind): Result<boolean> {
    const isKept = (link: BoardItem['links'][number]) =>
      link.to !== to || (kind !== undefined && link.kind !== kind);
    const done = this.#revise(from, actor, (item) => ok({ ...item, links: item.links.filter(isKept) }));
    return done.ok ? ok(done.value.fields.length > 0) : done;
  }

  #draftItem(id: string, draft: BoardDraft, actor: BoardActor): BoardItem {
    const at = timestamp(this.options.clock);
    const { subject, description = '', activeForm, owner = null, metadata = {}, links = [] } = draft;
    return {
      ...{ format: 1, id, revision: 1, subject, description, ...(activeForm ? { activeForm } : {}) },
      ...{ status: 'pending', owner, links: [...links], metadata: { ...metadata } },
      ...{ createdBy: actor.name, createdAt: at, changedBy: actor.name, changedAt: at },
    };
  }

  /** Nothing can be watched before there is a directory: the first item starts it. */
  #watchOthers(): void {
    const { isShared = true, clock, machine } = this.options;
    const { itemDirectory } = this.#files;
    if (!isShared || this.#stopWatching || this.#follower.size === 0) return;
    if (isThere(itemDirectory, machine.disk))
      this.#stopWatching = watchFiles(itemDirectory, clock, () => this.look());
  }

  #tell(item: BoardItem): BoardItem {
    this.#watchOthers();
    this.look();
    return item;
  }

  /** As if it had been given back: its owner is gone. */
  #withoutVoidClaim(item: BoardItem): BoardItem {
    if (!this.#isVoid(item)) return item;
    const { claimedBy: _, ...rest } = item;
    return { ...rest, status: 'pending', owner: null };
  }

  #isVoid({ owner, claimedBy, status }: BoardItem): boolean {
    if (owner === null || claimedBy === undefined || status === 'completed') return false;
    return this.options.isAlive?.(owner, claimedBy) === false;
  }
}

const compared = ['subject', 'description', 'activeForm', 'status', 'owner', 'links', 'metadata'] as const;

function listChanged(before: BoardItem, after: BoardItem): string[] {
  return compared.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
}
