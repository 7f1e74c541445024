import { dirname, join } from 'node:path';
import { describeFileError, ensurePrivateDirectory, syncParentDirectory } from '../../lib/files/files.ts';
import { isThere, listQuietly, readSmallText, removeQuietly } from '../../lib/files/small-files.ts';
import { formatProcessName, isOfDead } from '../../lib/files/temporary-names.ts';
import type { Machine } from '../../lib/machine.ts';
import { fail, getErrorCode, type Result } from '../../lib/result.ts';
import type { BoardItem } from '../../protocol/team.ts';
import { maxItemBytes, nameItemFile, readItem, readItemName } from './item-format.ts';

/** So many revisions of an item are kept: the newest may turn out to be damaged. */
const keptRevisions = 4;
const maxLooks = 5;

interface Known {
  item: BoardItem;
  /** All revisions that were seen, the oldest first. */
  revisions: number[];
}

/**
 * The items of one board as files: `items/ID.REVISION.json`. A file is linked into place and never changed, so each revision has one
 * writer, whatever the number of processes. The newest revision is the item. Nothing here knows what an item means.
 */
export class ItemFiles {
  readonly #items: string;
  readonly #known = new Map<string, Known>();
  #isSwept = false;

  constructor(
    readonly directory: string,
    private readonly machine: Machine,
    /** Told once per file that had to be put away. */
    private readonly told: (problem: string) => void = () => {},
  ) {
    this.#items = join(directory, 'items');
  }

  get itemDirectory(): string {
    return this.#items;
  }

  /** The newest revision of every item, deleted ones included. */
  list(): BoardItem[] {
    const found = this.#listRevisions();
    for (const id of this.#known.keys()) if (!found.has(id)) this.#known.delete(id);
    return [...found].flatMap(([id, revisions]) => this.#readNewest(id, revisions) ?? []);
  }

  find(id: string): BoardItem | undefined {
    return this.#readNewest(id, this.#listRevisions().get(id) ?? []);
  }

  /**
   * Writes the next revision of an item. `taken`: another process was faster, and nothing was written. A revision that a
   * slow process places after it was removed is recognised by its missing predecessor: the oldest are removed first.
   */
  place(item: BoardItem): 'placed' | 'taken' | Result<never> {
    const { disk } = this.machine;
    const path = this.#locate(item.id, item.revision);
    const placed = this.#link(path, `${JSON.stringify(item, null, 2)}\n`);
    if (placed !== 'placed') return placed;
    const isFirst = item.revision === 1;
    if (isFirst || !isThere(this.#locate(item.id, item.revision - 1), disk)) {
      const newest = this.#listRevisions().get(item.id)?.at(-1) ?? 0;
      if (newest > item.revision) {
        removeQuietly(path, disk);
        return 'taken';
      }
    }
    syncParentDirectory(path, disk);
    this.#prune(item);
    return 'placed';
  }

  /** Written aside, synced and linked: it never appears in part, also after a power cut. */
  #link(path: string, text: string): 'placed' | 'taken' | Result<never> {
    const { disk, ids } = this.machine;
    const aside = join(this.directory, 'aside', `${formatProcessName(this.machine.self(), ids)}.new`);
    for (const directory of [dirname(aside), this.#items]) {
      const made = isThere(directory, disk) ? undefined : ensurePrivateDirectory(directory, disk);
      if (made && !made.ok) return made;
    }
    this.#sweepAside(dirname(aside));
    try {
      const file = disk.open(aside, { access: 'write', create: 'new' });
      try {
        const bytes = Buffer.from(text);
        for (let done = 0; done < bytes.length; ) done += file.write(bytes, done);
        file.sync();
      } finally {
        file.close();
      }
      disk.link(aside, path);
      return 'placed';
    } catch (error) {
      return getErrorCode(error) === 'EEXIST' ? 'taken' : fail(describeFileError(error, path, 'write'));
    } finally {
      removeQuietly(aside, disk);
    }
  }

  /** Removes what processes left that were killed while they wrote; once. */
  #sweepAside(directory: string): void {
    const { disk, isAlive } = this.machine;
    if (this.#isSwept) return;
    this.#isSwept = true;
    for (const name of listQuietly(directory, disk)) {
      const path = join(directory, name);
      if (isOfDead(path, isAlive)) removeQuietly(path, disk);
    }
  }

  /** The oldest first, and none after one that cannot be removed: `place` relies on that order. */
  #prune(item: BoardItem): void {
    const { disk } = this.machine;
    const revisions = [...(this.#known.get(item.id)?.revisions ?? []), item.revision];
    const old = revisions.filter((revision) => revision <= item.revision - keptRevisions);
    for (const revision of old)
      try {
        disk.unlink(this.#locate(item.id, revision));
      } catch (error) {
        if (getErrorCode(error) !== 'ENOENT') break;
      }
    const kept = revisions.filter((revision) => !old.includes(revision));
    this.#known.set(item.id, { item, revisions: kept });
  }

  #listRevisions(): Map<string, number[]> {
    const found = new Map<string, number[]>();
    for (const name of listQuietly(this.#items, this.machine.disk)) {
      const read = readItemName(name);
      if (read) found.set(read.id, [...(found.get(read.id) ?? []), read.revision]);
      else if (name.endsWith('.json') && !name.startsWith('.'))
        this.#putAway(name, 'no item has such a name');
    }
    for (const revisions of found.values()) revisions.sort((one, other) => one - other);
    return found;
  }

  /** A revision that vanishes while it is read was replaced by newer ones. */
  #readNewest(id: string, revisions: readonly number[], looks = 0): BoardItem | undefined {
    const known = this.#known.get(id);
    for (const revision of [...revisions].reverse()) {
      if (known?.item.revision === revision) {
        known.revisions = [...revisions];
        return known.item;
      }
      const item = this.#read(id, revision);
      if (item === 'gone' && looks < maxLooks)
        return this.#readNewest(id, this.#listRevisions().get(id) ?? [], looks + 1);
      if (typeof item !== 'object') continue;
      this.#known.set(id, { item, revisions: [...revisions] });
      return item;
    }
    return undefined;
  }

  #read(id: string, revision: number): BoardItem | 'gone' | 'unusable' {
    const { disk } = this.machine;
    const name = nameItemFile(id, revision);
    const path = join(this.#items, name);
    const text = readSmallText(path, maxItemBytes, disk);
    if (text === undefined) {
      if (!isThere(path, disk)) return 'gone';
      this.#putAway(name, `it cannot be read as a file of at most ${maxItemBytes} bytes`);
      return 'unusable';
    }
    const read = readItem(text, { id, revision });
    if (read.state === 'item') return read.item;
    if (read.state === 'damaged') this.#putAway(name, read.reason);
    return 'unusable';
  }

  /** Beside the items, for people to look at. Only the process that moves it tells of it. */
  #putAway(name: string, reason: string): void {
    const { disk, ids } = this.machine;
    const away = join(this.directory, 'quarantine');
    const target = join(away, `${name}.${ids.token(6)}`);
    if (!ensurePrivateDirectory(away, disk).ok) return;
    try {
      disk.rename(join(this.#items, name), target);
    } catch {
      return;
    }
    this.told(
      `${join(this.#items, name)} is not a usable board item (${reason}). It was moved to ${target}.`,
    );
  }

  #locate(id: string, revision: number): string {
    return join(this.#items, nameItemFile(id, revision));
  }
}
