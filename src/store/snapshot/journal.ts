import { closeSync, constants, fstatSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { ensurePrivateDirectory } from '../../lib/files/files.ts';
import type { SnapshotEntry } from './entry.ts';

/** A command as it is written down before it starts. */
export interface BegunCommand {
  toolUseId: string;
  agentId?: string;
  /** Milliseconds since 1970. */
  at: number;
  /** The time of its end, once it ended. */
  until?: number;
  /** Why more may have changed than will be seen. */
  unseen?: string;
}

/** The last state that the process which wrote it knew. */
export interface JournalState {
  entries: Map<string, SnapshotEntry>;
  /** The directories whose files are all among the entries. */
  tops: ReadonlySet<string>;
  /** The directories that hold them, and the entries of those that are not covered, as they were at the last whole look. */
  names: NameNote[];
  ignore?: IgnoreNote;
  /** There were more files than are covered. */
  isCut: boolean;
  /** Commands whose changes were not all recorded. */
  open: BegunCommand[];
  /** The last one that started. */
  last?: BegunCommand;
}

/** A directory, with inode and time of its last change, or an entry that is not covered, with the latter. */
export type NameNote = [path: string, inode: number | null, time: number, otherTime: number | null];

/** Git's ignore rules, which decide which files are covered. */
export interface IgnoreNote {
  files: [path: string, rules: KnownRules][];
  repositories: [root: string, shared: string[]][];
  spelledOut: string[];
}

/** A file with git's ignore rules, as it was before a command changed it. */
export interface KnownRules {
  /** The directory its patterns are relative to; undefined for those relative to the top of the repository. */
  directory?: string;
  text: string;
  mark: string;
  /** A command changed it since: git now reads different rules. */
  isHeld: boolean;
}

type Line =
  | [
      ...[path: string, state: string | null, mode: number | null],
      ...[
        root?: string | null,
        id?: string | null,
        size?: number | null,
        isAssumed?: boolean,
        changeTime?: number,
      ],
    ]
  | { covered: string[]; isCut: boolean }
  | { names: NameNote[] }
  | { ignore: IgnoreNote }
  | { begun: BegunCommand }
  | { ended: string };

/** Larger journals are not ours and are ignored. */
const maxBytes = 64 * 1024 * 1024;

/**
 * The state of the covered files on disk, so that a command's changes are found even when this process is killed
 * while the command runs. Lines are only added; the last one of a path is valid. Best effort: without it such changes are lost.
 */
export class SnapshotJournal {
  #file: number | undefined;

  /** `isFrozen`: the journal of another process is not changed. */
  constructor(
    private readonly path: string,
    private readonly isFrozen = () => false,
  ) {}

  note(entries: Iterable<readonly [path: string, entry: SnapshotEntry | undefined]>): void {
    let text = '';
    for (const [path, entry] of entries) {
      const { state = null, mode = null, blob, isAssumed = false } = entry ?? {};
      const git = blob ? [blob.root, blob.id, blob.size] : [null, null, null];
      const time = entry && findTime(entry);
      const all = [path, state, mode, ...git, isAssumed, ...(time === undefined ? [] : [time])];
      text += `${JSON.stringify(state === null && !blob ? [path, null, null] : all)}\n`;
    }
    this.#write(text);
  }

  /** Called after the entries of all their files are noted. */
  cover(tops: Iterable<string>, isCut: boolean): void {
    this.#write(`${JSON.stringify({ covered: [...tops], isCut })}\n`);
  }

  /** Called when all that a look found is noted. Undefined: the same rules as before. */
  noteLook(names: readonly NameNote[], ignore: IgnoreNote | undefined): void {
    if (names.length > 0) this.#write(`${JSON.stringify({ names })}\n`);
    if (ignore) this.#write(`${JSON.stringify({ ignore })}\n`);
  }

  /** Also when the command has ended, with `until`. */
  begin(begun: BegunCommand): void {
    this.#write(`${JSON.stringify({ begun })}\n`);
  }

  end(toolUseId: string): void {
    this.#write(`${JSON.stringify({ ended: toolUseId })}\n`);
  }

  /** Called once everything in it is in the transcript. */
  remove(): void {
    if (this.isFrozen()) return;
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    removeQuietly(this.path);
  }

  #write(text: string): void {
    if (this.isFrozen()) return;
    try {
      if (this.#file === undefined) {
        ensurePrivateDirectory(dirname(this.path));
        removeQuietly(this.path);
        const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_APPEND;
        this.#file = openSync(this.path, flags, 0o600);
      }
      const bytes = Buffer.from(text);
      for (let done = 0; done < bytes.length; ) done += writeSync(this.#file, bytes, done);
    } catch {
      // A full disk: reported when the transcript itself cannot be written.
    }
  }
}

/** The journal of an earlier process; undefined where there is none. */
export function readJournal(path: string): JournalState | undefined {
  const text = readBounded(path);
  if (text === undefined) return undefined;
  const entries = new Map<string, SnapshotEntry>();
  const open = new Map<string, BegunCommand>();
  const names = new Map<string, NameNote>();
  let tops = new Set<string>();
  let isCut = false;
  let ignore: IgnoreNote | undefined;
  let last: BegunCommand | undefined;
  for (const line of text.split('\n')) {
    const found = parse(line);
    if (Array.isArray(found)) takeEntry(found, entries);
    else if (found && 'covered' in found) {
      tops = new Set(found.covered);
      isCut = found.isCut;
    } else if (found && 'names' in found) for (const note of found.names) names.set(note[0], note);
    else if (found && 'ignore' in found) ignore = found.ignore;
    else if (found && 'begun' in found) {
      last = found.begun;
      open.set(last.toolUseId, last);
    } else if (found) open.delete(found.ended);
  }
  return {
    entries,
    tops,
    isCut,
    names: [...names.values()],
    open: [...open.values()],
    ignore,
    last,
  };
}

function readBounded(path: string): string | undefined {
  let file: number | undefined;
  try {
    // A named pipe is not waited for.
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stat = fstatSync(file);
    return stat.isFile() && stat.size <= maxBytes ? readFileSync(file, 'utf8') : undefined;
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** A line that was cut off is ignored. */
function parse(line: string): Line | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (Array.isArray(value)) return typeof value[0] === 'string' ? (value as Line) : undefined;
    const { begun, ended, covered, isCut, names, ignore } = value as Partial<Record<string, unknown>> & {
      begun?: BegunCommand;
    };
    if (Array.isArray(covered))
      return { covered: covered.filter((top) => typeof top === 'string'), isCut: isCut === true };
    if (Array.isArray(names)) return { names: names.filter(isNameNote) };
    if (isIgnoreNote(ignore)) return { ignore };
    if (typeof ended === 'string') return { ended };
    const isBegun = typeof begun?.toolUseId === 'string' && typeof begun.at === 'number';
    const hasKnownEnd = ['number', 'undefined'].includes(typeof begun?.until);
    const hasKnownReason = ['string', 'undefined'].includes(typeof begun?.unseen);
    return isBegun && hasKnownEnd && hasKnownReason ? { begun } : undefined;
  } catch {
    return undefined;
  }
}

function isNameNote(note: unknown): note is NameNote {
  if (!Array.isArray(note)) return false;
  const [path, inode, time, otherTime] = note;
  const isNumberOrNull = (value: unknown) => value === null || typeof value === 'number';
  return (
    typeof path === 'string' && isNumberOrNull(inode) && typeof time === 'number' && isNumberOrNull(otherTime)
  );
}

function isIgnoreNote(note: unknown): note is IgnoreNote {
  const { files, repositories, spelledOut } = (note ?? {}) as Partial<Record<string, unknown>>;
  return [files, repositories, spelledOut].every(Array.isArray);
}

function takeEntry(line: Extract<Line, unknown[]>, entries: Map<string, SnapshotEntry>): void {
  const [path, state, mode, root, id, size, isAssumed, changeTime] = line;
  const blob = root && id && typeof size === 'number' ? { root, id, size } : undefined;
  if (state === null && !blob) {
    entries.delete(path);
    return;
  }
  entries.set(path, {
    isFresh: true,
    state: state ?? undefined,
    mode: mode ?? undefined,
    blob,
    isAssumed: isAssumed === true || undefined,
    changeTime: typeof changeTime === 'number' ? changeTime : undefined,
  });
}

/** Where a later change would have a different time. */
function findTime({ stamp, isFresh, changeTime }: SnapshotEntry): number | undefined {
  if (!stamp) return changeTime;
  return isFresh ? undefined : stamp.ctime;
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It did not exist.
  }
}
