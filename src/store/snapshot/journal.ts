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
  /** Commands whose changes were not all recorded. */
  open: BegunCommand[];
  /** The last one that started. */
  last?: BegunCommand;
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
  | { covered: string[] }
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
    private readonly isFrozen = false,
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
  cover(tops: Iterable<string>): void {
    this.#write(`${JSON.stringify({ covered: [...tops] })}\n`);
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
    if (this.isFrozen) return;
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    removeQuietly(this.path);
  }

  #write(text: string): void {
    if (this.isFrozen) return;
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
  let tops = new Set<string>();
  let last: BegunCommand | undefined;
  for (const line of text.split('\n')) {
    const found = parse(line);
    if (Array.isArray(found)) takeEntry(found, entries);
    else if (found && 'covered' in found) tops = new Set(found.covered);
    else if (found && 'begun' in found) {
      last = found.begun;
      open.set(last.toolUseId, last);
    } else if (found) open.delete(found.ended);
  }
  return { entries, tops, open: [...open.values()], ...(last ? { last } : {}) };
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
    const { begun, ended, covered } = value as { begun?: BegunCommand; ended?: unknown; covered?: unknown };
    if (Array.isArray(covered)) return { covered: covered.filter((top) => typeof top === 'string') };
    if (typeof ended === 'string') return { ended };
    const isBegun = typeof begun?.toolUseId === 'string' && typeof begun.at === 'number';
    const hasKnownEnd = ['number', 'undefined'].includes(typeof begun?.until);
    const hasKnownReason = ['string', 'undefined'].includes(typeof begun?.unseen);
    return isBegun && hasKnownEnd && hasKnownReason ? { begun } : undefined;
  } catch {
    return undefined;
  }
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
    ...(state === null ? {} : { state }),
    ...(mode === null ? {} : { mode }),
    ...(blob ? { blob } : {}),
    ...(isAssumed === true ? { isAssumed } : {}),
    ...(typeof changeTime === 'number' ? { changeTime } : {}),
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
