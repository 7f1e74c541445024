import { readdirSync, readFileSync } from 'node:fs';
import { isSameProcess, type ProcessMark } from './mark.ts';

/**
 * Every process that we start, and its descendants, carries `CADRE_OWNER` in its environment. Unlike a process group the mark
 * survives `setsid`, so that a daemon can be found and ended. It is read from `/proc`: on systems without it only the group
 * is known.
 */
export const ownerVariable = 'CADRE_OWNER';

export interface Owned {
  /** The mark. It also includes the marks below it: `a` finds `a` and `a/b`. */
  owner: string;
  group?: number;
  /** Only processes started after this one are checked, which makes it almost free. */
  since?: number;
  /** A process that belongs to them whatever mark it has. */
  first?: ProcessMark | undefined;
}

export interface OwnedPid {
  pid: number;
  parent: number;
  group: number;
}

/**
 * Ends all processes with this mark, wherever they are, and returns those it signalled. For the end of a session or after a
 * crash.
 */
export function sweepMarked(owner: string, signal: NodeJS.Signals = 'SIGKILL'): number[] {
  const found = findOwned({ owner });
  for (const { pid } of found) signalQuietly(pid, signal);
  return found.map(({ pid }) => pid);
}

/** The living processes of a group or mark; a zombie is not alive. */
export function findOwned(owned: Owned): OwnedPid[] {
  if (process.platform !== 'linux') return findByGroup(owned.group);
  const { first } = owned;
  const found = candidates(owned.since).flatMap((pid) => {
    const seen = pid === process.pid ? undefined : readStat(pid);
    if (!seen) return [];
    return seen.group === owned.group || hasMark(pid, owned.owner) ? [seen] : [];
  });
  if (!first || found.some(({ pid }) => pid === first.pid) || !isSameProcess(first)) return found;
  const seen = readStat(first.pid);
  return seen ? [...found, seen] : found;
}

/** The living processes with a variable of such a value, but this one; none where the system does not tell. */
export function findWithVariable(name: string, fits: (value: string) => boolean): number[] {
  if (process.platform !== 'linux') return [];
  return allPids().filter((pid) => {
    const value = pid === process.pid ? undefined : readVariable(pid, name);
    return value !== undefined && fits(value) && readStat(pid) !== undefined;
  });
}

/** A process that has ended or is not ours to signal is not an error. */
export function signalQuietly(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {}
}

function findByGroup(group: number | undefined): OwnedPid[] {
  if (group === undefined) return [];
  try {
    process.kill(-group, 0);
    return [{ pid: -group, parent: 0, group }];
  } catch {
    return [];
  }
}

const fewProcesses = 64;

/** Process ids grow until they wrap around; `/proc/loadavg` ends with the newest. */
function candidates(since: number | undefined): number[] {
  const newest = since === undefined ? undefined : newestPid();
  if (since !== undefined && newest !== undefined && newest >= since && newest - since <= fewProcesses) {
    return Array.from({ length: newest - since + 1 }, (_, index) => since + index);
  }
  const wrapped = since === undefined || newest === undefined || newest < since;
  return allPids().filter((pid) => wrapped || pid >= since);
}

function newestPid(): number | undefined {
  const last = readQuietly('/proc/loadavg')?.trim().split(' ').at(-1);
  return last && /^\d+$/.test(last) ? Number(last) : undefined;
}

function allPids(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

/** The second field is the program's name in parentheses, and may itself contain parentheses and blanks. */
function readStat(pid: number): OwnedPid | undefined {
  const text = readQuietly(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  const [state, parent, group] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  if (state === 'Z' || state === 'X') return undefined;
  return { pid, parent: Number(parent), group: Number(group) };
}

/** Whether a living process was started by this owner, or is a descendant of one; false where the system does not tell. */
export function isBelowMarked(pid: number, owner: string): boolean {
  const maxDepth = 100;
  for (let at = pid, depth = 0; at > 1 && depth < maxDepth; depth++) {
    if (hasMark(at, owner)) return true;
    at = readStat(at)?.parent ?? 0;
  }
  return false;
}

function hasMark(pid: number, owner: string): boolean {
  const mark = readVariable(pid, ownerVariable);
  return mark === owner || mark?.startsWith(`${owner}/`) === true;
}

function readVariable(pid: number, name: string): string | undefined {
  const environment = readQuietly(`/proc/${pid}/environ`);
  const entry = environment?.split('\0').find((line) => line.startsWith(`${name}=`));
  return entry?.slice(name.length + 1);
}

function readQuietly(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}
