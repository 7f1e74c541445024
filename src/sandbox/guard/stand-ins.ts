import { chmodSync, readlinkSync, rmdirSync, statSync } from '../../lib/files/exact-files.ts';
import { basename, dirname, join } from '../../lib/files/exact-paths.ts';
import { holdDirectory } from '../../lib/files/hold-directory.ts';
import { isSameProcess, type ProcessMark, processMark } from '../../lib/processes/mark.ts';
import { getErrorCode } from '../../lib/result.ts';
import { listKnown, untold } from '../../lib/told.ts';
import { isKnownEmpty, listNames, statEntry } from './look.ts';

// A stand-in for a missing directory contains an empty directory for each process whose commands rely on it, with a name that
// says which. The kernel removes no directory that is not empty: so one process cannot remove what another needs, whatever
// homes they have, and the mark of a killed process is recognized as void. Git does not list directories without files.

/** The mark of this process. */
export function ownMark(): string {
  own ??= `held-${describe(processMark(process.pid))}-${nameSpace()}`;
  return own;
}

/** Constant for the life of the process. */
let own: string | undefined;

/** Whether it exists for commands alone: it has marks, or is about to. */
export function isStandIn(path: string): boolean {
  const found = statEntry(path);
  if (!found?.isDirectory()) return false;
  const names = listNames(path);
  if (names === untold) return false;
  return names.length === 0 ? Date.now() - found.birthtimeMs < newMs : names.every(isMark);
}

/** How long a new one may be without its first mark. */
const newMs = 1000;

/** Whether it contains only marks. */
export function isEmptyButForMarks(path: string): boolean {
  const names = listNames(path);
  return names !== untold && names.every(isMark);
}

/** Whether a running command relies on it, and it contains nothing else. */
export function isHeldStandIn(path: string): boolean {
  if (!statEntry(path)?.isDirectory()) return false;
  const names = listKnown(listNames(path));
  return names.some(isLiveMark) && names.every((name) => isMark(name) && isEmptyDirectory(join(path, name)));
}

/**
 * Removes it unless others rely on it, or it contains something: then it belongs to the process that put it there. With
 * `ours` this process no longer relies on it. A command may have closed the directory around it, which is opened for this
 * moment.
 */
export function releaseStandIn(path: string, ours: boolean): void {
  const parent = holdDirectory(dirname(path));
  if (!parent.ok) return;
  const at = join(parent.value.path, basename(path));
  try {
    if (!isRefused(() => clear(at, ours))) return;
    const { mode } = statSync(parent.value.path);
    chmodSync(parent.value.path, mode | 0o700);
    isRefused(() => clear(at, ours));
    chmodSync(parent.value.path, mode & 0o7777);
  } catch {
    // Not ours.
  } finally {
    parent.value.close();
  }
}

function clear(path: string, ours: boolean): void {
  for (const name of listKnown(listNames(path)))
    if (name === ownMark() ? ours : isMark(name) && !isLiveMark(name)) removeMark(join(path, name));
  rmdirSync(path);
}

function isRefused(change: () => void): boolean {
  try {
    change();
    return false;
  } catch (error) {
    return getErrorCode(error) === 'EACCES';
  }
}

function removeMark(path: string): void {
  try {
    if (statEntry(join(path, lockName))) rmdirSync(join(path, lockName));
    rmdirSync(path);
  } catch {
    // Another process was faster, or put something there.
  }
}

/** In a mark among git's own data: git neither lists nor prunes a worktree with an entry of this name. */
export const lockName = 'locked';

export function hasLiveMark(path: string, isOwnLeftOut: boolean): boolean {
  const names = listNames(path);
  return names === untold || names.some((name) => isLiveMark(name) && !(isOwnLeftOut && name === ownMark()));
}

function isMark(name: string): boolean {
  return pattern.test(name);
}

const pattern = /^held-(\d+)-([^-]*)-(\d*)$/;

/** A process of another namespace, such as a container's, cannot be looked up: it counts as alive. */
function isLiveMark(name: string): boolean {
  const [, pid = '', start = '', space] = pattern.exec(name) ?? [];
  if (space === undefined) return false;
  return space !== nameSpace() || isSameProcess({ pid: Number(pid), start: decode(start) });
}

function isEmptyDirectory(path: string): boolean {
  return statEntry(path)?.isDirectory() === true && isKnownEmpty(path);
}

function describe({ pid, start }: ProcessMark): string {
  return `${pid}-${encodeURIComponent(start).replaceAll('-', '%2D')}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

/** The number of the namespace in which process numbers are valid. */
function nameSpace(): string {
  space ??= readSpace();
  return space;
}

let space: string | undefined;

function readSpace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '';
  } catch {
    return '';
  }
}
