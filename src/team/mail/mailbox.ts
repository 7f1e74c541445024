import type { Clock } from '../../lib/clock.ts';
import { join, showBytes } from '../../lib/files/exact-paths.ts';
import { describeFileError } from '../../lib/files/files.ts';
import { isThere, removeQuietly, writeNew } from '../../lib/files/small-files.ts';
import { type WatchDirectory, watchDirectory } from '../../lib/files/watch-directory.ts';
import type { Machine } from '../../lib/machine.ts';
import { fail, failure, getErrorCode, ok, type Result } from '../../lib/result.ts';
import type { MailMessage, MailState } from '../../protocol/team.ts';
import { isProgramAddress } from '../names.ts';
import type { TeamPlace } from '../team-place.ts';
import { makeBox, readIdInName, stateDirectories } from './box-place.ts';
import { readNewFiles } from './look-box.ts';
import { readMailKey } from './mail-key.ts';
import { pruneBox, sweepBox } from './prune-box.ts';
import { type BoxFiles, listMailFiles, readMailFile } from './read-box.ts';
import { watchBox } from './watch-box.ts';

/** Who reads a box. */
export interface MailReader {
  readonly name: string;
  /** Mail for another incarnation is void. Undefined for the user and for programs, which have none. */
  readonly incarnation?: string;
  /** Whether it still holds its address: a successor may read the box already. */
  check(): boolean;
}

/** Something in the box that is not delivered. Each is told once. */
export type BoxNews =
  | { kind: 'quarantined'; file: string; path: string; reason: string }
  | { kind: 'void'; message: MailMessage };

export interface MailboxOptions {
  machine: Machine;
  clock: Clock;
  tell?: (news: BoxNews) => void;
  watch?: WatchDirectory;
}

/** Opens the box of a member, the user or a program, and clears it of old mail. */
export function openMailbox(place: TeamPlace, reader: MailReader, options: MailboxOptions): Result<Mailbox> {
  const { machine, clock } = options;
  const made = makeBox(place, reader.name, machine);
  if (!made.ok) return made;
  const key = readMailKey(place, machine);
  if (!key.ok) return key;
  const box = new Mailbox({ place, owner: reader.name, key: key.value, machine }, reader, options);
  sweepBox(place.box(reader.name), machine, clock);
  return ok(box);
}

/**
 * A box, as its owner has it. A message that `look` shows is written to the reader's transcript first, under its id, and then
 * noted here: after a crash in between it is shown again, and recognised by its id.
 */
export class Mailbox {
  /** Messages that were shown and not noted yet, by id. */
  readonly #shown = new Map<string, { file: string; from: string }>();
  /** Noted, and not moved: the disk failed. They are not shown again, and moved when they can be. */
  readonly #unmoved = new Set<string>();
  /** Messages that were here before: those in the other directories, and all that this reader moved. */
  readonly #known: KnownMail;
  #reads = 0;

  constructor(
    private readonly files: BoxFiles,
    private readonly reader: MailReader,
    private readonly options: MailboxOptions,
  ) {
    this.#known = new KnownMail(files);
  }

  /** What is new, in order; at most 500. It is shown until it is noted. */
  look(): MailMessage[] {
    if (!this.reader.check()) return [];
    for (const id of [...this.#unmoved]) this.noteDelivered(id);
    const { mail, faults } = readNewFiles(this.files);
    for (const fault of faults) this.#setAside(fault.file, fault.reason);
    const shown = new Set<string>();
    return mail.flatMap(({ file, message }) => {
      if (shown.has(message.id) || this.#known.has(message.id)) return this.#drop(file);
      if (this.#isVoid(message)) return this.#void(file, message);
      shown.add(message.id);
      this.#shown.set(message.id, { file, from: message.from });
      return this.#unmoved.has(message.id) ? [] : [message];
    });
  }

  /** The message is in the reader's inbox, durably. */
  noteDelivered(id: string): Result<void> {
    const moved = this.#move(id, 'delivered');
    if (moved.ok) this.#unmoved.delete(id);
    else if (this.reader.check()) this.#unmoved.add(id);
    return moved;
  }

  /** A model request carried it. */
  noteRead(id: string): Result<void> {
    const moved = this.#move(id, 'read');
    if (moved.ok) this.#unmoved.delete(id);
    if (++this.#reads % readsBetweenPruning === 0)
      pruneBox(this.files.place.box(this.reader.name), this.options.machine, this.options.clock);
    return moved;
  }

  /** Delivered and not read, as after a restart of the reader. */
  listDelivered(): MailMessage[] {
    const mail = listMailFiles(this.files, 'delivered').flatMap((file) => {
      const read = readMailFile(this.files, 'delivered', file);
      return typeof read === 'object' && read.ok ? [read.value] : [];
    });
    return mail.sort(
      (one, other) => Date.parse(one.sentAt) - Date.parse(other.sentAt) || one.order - other.order,
    );
  }

  /** Undefined where no such message is in this box, or no longer. */
  state(id: string): MailState | undefined {
    for (const state of ['read', 'delivered', 'void'] as const) if (this.#isIn(state, id)) return state;
    if (this.#findNew(id) !== undefined) return 'written';
    const aside = listMailFiles(this.files, stateDirectories.quarantined);
    return aside.some((file) => file === `${id}.json` || readIdInName(file) === id)
      ? 'quarantined'
      : undefined;
  }

  /** Calls back when there may be new mail, also where it was there before. The returned function ends it. */
  onMail(listener: () => void): () => void {
    const { clock, watch = watchDirectory } = this.options;
    return watchBox(this.files, { clock, watch, listener });
  }

  /** Into `delivered/` or `read/`. Repeating it does nothing. */
  #move(id: string, state: 'delivered' | 'read'): Result<void> {
    if (!this.reader.check()) return failure(`Another process reads the box of ${this.reader.name} now.`);
    const shown = this.#shown.get(id);
    // Where it most likely is; only when it is not there, the box is searched.
    const likely = shown ? this.#locateNew(shown.file) : this.#locate('delivered', id);
    let moved = this.#rename(shown || state === 'read' ? likely : undefined, state, id);
    if (moved === 'gone') {
      if (this.#isIn('read', id) || (state === 'delivered' && this.#isIn('delivered', id)))
        return ok(undefined);
      moved = this.#rename(
        this.#isIn('delivered', id) ? this.#locate('delivered', id) : this.#findNew(id),
        state,
        id,
      );
    }
    if (moved === 'gone') return failure(`There is no message ${id} in the box of ${this.reader.name}.`);
    if (!moved.ok) return moved;
    this.#shown.delete(id);
    this.#known.add(id);
    // For the answer.
    if (shown && isProgramAddress(shown.from)) makeBox(this.files.place, shown.from, this.files.machine);
    return moved;
  }

  #rename(from: string | undefined, state: MailState, id: string): Result<void> | 'gone' {
    if (from === undefined) return 'gone';
    try {
      this.files.machine.disk.rename(from, this.#locate(state, id));
      return ok(undefined);
    } catch (error) {
      return getErrorCode(error) === 'ENOENT' ? 'gone' : fail(describeFileError(error, from, 'move'));
    }
  }

  #isVoid({ toIncarnation }: MailMessage): boolean {
    const { incarnation } = this.reader;
    return toIncarnation !== undefined && incarnation !== undefined && toIncarnation !== incarnation;
  }

  #void(file: string, message: MailMessage): [] {
    const moved = this.#rename(this.#locateNew(file), 'void', message.id);
    // Otherwise it is left where it is, and looked at again.
    if (moved === 'gone' || !moved.ok) return [];
    this.#known.add(message.id);
    this.options.tell?.({ kind: 'void', message });
    return [];
  }

  #drop(file: string): [] {
    removeQuietly(this.#locateNew(file), this.files.machine.disk);
    return [];
  }

  #setAside(file: string, reason: string): void {
    const box = this.files.place.box(this.reader.name);
    const path = quarantine(box, file, reason, this.files.machine);
    if (path !== undefined)
      this.options.tell?.({ kind: 'quarantined', file: showBytes(file), path: showBytes(path), reason });
  }

  #isIn(state: MailState, id: string): boolean {
    return isThere(this.#locate(state, id), this.files.machine.disk);
  }

  #locate(state: MailState, id: string): string {
    return join(this.files.place.box(this.reader.name), stateDirectories[state], `${id}.json`);
  }

  #locateNew(file: string): string {
    return join(this.files.place.box(this.reader.name), stateDirectories.written, file);
  }

  #findNew(id: string): string | undefined {
    const shown = this.#shown.get(id)?.file;
    if (shown !== undefined && isThere(this.#locateNew(shown), this.files.machine.disk))
      return this.#locateNew(shown);
    const files = listMailFiles(this.files, 'new');
    const found =
      files.find((file) => readIdInName(file) === id) ??
      files.filter((file) => readIdInName(file) === undefined).find((file) => this.#hasId(file, id));
    return found === undefined ? undefined : this.#locateNew(found);
  }

  #hasId(file: string, id: string): boolean {
    const read = readMailFile(this.files, 'new', file);
    return typeof read === 'object' && read.ok && read.value.id === id;
  }
}

const readsBetweenPruning = 1_000;

/** Far more than a box keeps of read mail: what is older is known by the reader's transcript only. */
const maxKnown = 20_000;

/** The ids of messages that a box has seen. Only its reader moves them, so the directories are listed once. */
class KnownMail {
  readonly #ids: Set<string>;

  constructor(box: BoxFiles) {
    const files = (['read', 'void', 'delivered'] as const).flatMap((state) =>
      listMailFiles(box, stateDirectories[state]),
    );
    this.#ids = new Set(files.map((file) => file.replace(/\.json$/, '')));
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  add(id: string): void {
    this.#ids.add(id);
    if (this.#ids.size <= maxKnown) return;
    for (const oldest of this.#ids) {
      this.#ids.delete(oldest);
      return;
    }
  }
}

/** Moves a file that is not a message out of the way, with a note of why. Returns where it is now; undefined where that failed, or another process did it. */
function quarantine(box: string, file: string, reason: string, { disk, ids }: Machine): string | undefined {
  const directory = join(box, stateDirectories.quarantined);
  const wanted = join(directory, file);
  const target = isThere(wanted, disk) ? join(directory, `${ids.token(8)}-${file}`) : wanted;
  try {
    disk.rename(join(box, stateDirectories.written, file), target);
  } catch (error) {
    if (getErrorCode(error) === undefined) throw error;
    return undefined;
  }
  try {
    writeNew(`${target}.reason`, `${reason}\n`, disk);
  } catch {
    // The file itself is set aside; on a full disk its reason is only told.
  }
  return target;
}
