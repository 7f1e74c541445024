import { lstatSync } from 'node:fs';
import { basename } from 'node:path';
import { hashBytes } from '../hash.ts';
import { type Ids, randomIds } from '../ids.ts';
import { bootId, isSameProcess, type ProcessMark, processMark, readProcessSpace } from '../processes/mark.ts';

let own: ProcessMark | undefined;

/**
 * A part of a name that says which process made the file, for files that exist only for a moment: what a killed process
 * leaves is recognised by it and removed by the next start.
 */
export function nameByProcess(): string {
  own ??= processMark(process.pid);
  return formatProcessName(own, randomIds);
}

/** The same for the process of another machine, as a simulation has them. */
export function formatProcessName({ pid, start }: ProcessMark, ids: Pick<Ids, 'token'>): string {
  return `${pid}.${encodeURIComponent(start)}~${readSpace()}.${ids.token(16)}`;
}

/** Whether a file has a name by `nameByProcess`, of a process that has ended. */
export function isOfDead(path: string, isAlive: (mark: ProcessMark) => boolean = isSameProcess): boolean {
  const [, pid, start = '', space] = madeName.exec(basename(path)) ?? [];
  if (pid === undefined) return false;
  if (space !== undefined && space !== readSpace()) return isOld(path);
  return !isAlive({ pid: Number(pid), start: decodeURIComponent(start) });
}

/** Whether it is of a process that cannot be looked up from here: of another container, or from before a restart. */
export function isOfElsewhere(path: string): boolean {
  const [, , , space] = madeName.exec(basename(path)) ?? [];
  return space !== undefined && space !== readSpace();
}

const madeName =
  /(?:^|[.-])(\d{1,10})\.((?:[\w!*'()-]|%[0-9A-F]{2})*)(?:~([0-9a-f]{6}))?\.[a-z0-9]{16}(?:\.(?:tmp|new|json|process|places))?$/;

/** From before a restart of the machine, or of a container: whether such a process lives cannot be seen from here. */
function isOld(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found !== undefined && Date.now() - found.mtimeMs > maxForeignMs;
}

const maxForeignMs = 10 * 60_000;

let ownSpace: string | undefined;

/** Constant for the life of the process: where its pid means something. */
function readSpace(): string {
  ownSpace ??= hashBytes(`${bootId()} ${readProcessSpace()}`).slice(0, 6);
  return ownSpace;
}
