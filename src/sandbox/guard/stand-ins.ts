import { chmodSync, readlinkSync, rmdirSync, statSync } from '../../lib/files/exact-files.ts';
import { basename, dirname, join } from '../../lib/files/exact-paths.ts';
import { holdDirectory } from '../../lib/files/hold-directory.ts';
import { isSameProcess, type ProcessMark, processMark } from '../../lib/processes/mark.ts';
import { getErrorCode } from '../../lib/result.ts';
import { statEntry, listNames } from './look.ts';

// A directory that stands in for a missing one holds an empty directory for each process whose commands rely on it, with a
// name that says which. The kernel removes no directory that is not empty: so one process cannot take away what another
// needs, whatever homes they have, and the mark of one that was killed is known to be worth nothing. Git does not list
// directories without files.

/** The mark of this process. */
export function ownMark(): string {
  own ??= `held-${describe(processMark(process.pid))}-${nameSpace()}`;
  return own;
}

/** It does not change as long as the process lives. */
let own: string | undefined;

/** Whether it is there for commands alone: it bears marks, or is about to. */
export function isStandIn(path: string): boolean {
  const found = statEntry(path);
  if (!found?.isDirectory()) return false;
  const names = listNames(path);
  return names.length === 0 ? Date.now() - found.birthtimeMs < newMs : names.every(isMark);
}

/** So long one that was just made may be without its first mark. */
const newMs = 1000;

/** Whether nothing is in it but marks. */
export function isEmptyButForMarks(path: string): boolean {
  return listNames(path).every(isMark);
}

/** Whether a command that runs relies on it, and nothing else is in it. */
export function isHeldStandIn(path: string): boolean {
  if (!statEntry(path)?.isDirectory()) return false;
  const names = listNames(path);
  return names.some(isLiveMark) && names.every((name) => isMark(name) && isEmptyDirectory(join(path, name)));
}

/**
 * Removes it unless others rely on it, or something is in it: then it belongs to whoever put that there. With `ours` this
 * process does not rely on it any more. A command may have closed the directory around it, which is opened for this moment.
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
  for (const name of listNames(path))
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
    rmdirSync(path);
  } catch {
    // Another process was quicker, or somebody put something there.
  }
}

function isMark(name: string): boolean {
  return pattern.test(name);
}

const pattern = /^held-(\d+)-([^-]*)-(\d*)$/;

/** A process of another name space, such as a container's, cannot be looked for: it counts as alive. */
function isLiveMark(name: string): boolean {
  const [, pid = '', start = '', space] = pattern.exec(name) ?? [];
  if (space === undefined) return false;
  return space !== nameSpace() || isSameProcess({ pid: Number(pid), start: decode(start) });
}

function isEmptyDirectory(path: string): boolean {
  return statEntry(path)?.isDirectory() === true && listNames(path).length === 0;
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

/** The number of the one in which process numbers mean something. */
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
