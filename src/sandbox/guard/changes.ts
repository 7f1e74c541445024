import type { Stats } from 'node:fs';
import { isWholeSecond } from '../../lib/files/change-time.ts';
import { basename, dirname, join } from '../../lib/files/exact-paths.ts';
import { untold } from '../../lib/told.ts';
import { gitGuarded } from '../../places/git-guarded.ts';
import { gitParts } from '../../workspace/git/directory.ts';
import { linksInGitData } from '../../workspace/git/walk.ts';
import { listNames, statEntry } from './look.ts';

/** Number of entries that are checked. Larger trees count as changed. */
const maxEntries = 20_000;

/** From the start of a command to its end. */
export interface Period {
  since: number;
  until?: number;
}

/**
 * Whether a protected path was created or changed in that period. Change times cannot be set, and giving a file a new name
 * changes the file's.
 */
export function hasChangedIn(path: string, period: Period): boolean {
  const stat = statEntry(path);
  if (!stat) return false;
  if (basename(path) === '.git' && stat.isDirectory()) return repositoryChanged(path, stat, period);
  if (basename(path) === 'HEAD')
    return ['HEAD', ...gitParts].some((part) => isFromPeriod(statEntry(join(dirname(path), part)), period));
  return treeChanged(path, period, { left: maxEntries });
}

/** Commits change a git directory. It is new if it was created in that period, or could have been moved there. */
function repositoryChanged(path: string, stat: Stats, period: Period): boolean {
  const isNew =
    isWithin(stat.birthtimeMs, period) ||
    (isWithin(stat.ctimeMs, period) && isWithin(statEntry(dirname(path))?.ctimeMs ?? 0, period));
  const led = [...gitGuarded(path), join(path, 'modules'), ...linksInGitData(path)];
  return isNew || led.some((one) => treeChanged(one, period, { left: maxEntries }));
}

function treeChanged(path: string, period: Period, budget: { left: number }): boolean {
  const stat = statEntry(path);
  if (!stat) return false;
  if (isFromPeriod(stat, period) || --budget.left < 0) return true;
  if (!stat.isDirectory()) return false;
  const names = listNames(path);
  return names === untold || names.some((name) => treeChanged(join(path, name), period, budget));
}

/** It may have been changed after that period; its creation time stays. */
export function isFromPeriod(stat: Stats | undefined, period: Period): boolean {
  return stat !== undefined && (isWithin(stat.ctimeMs, period) || isWithin(stat.birthtimeMs, period));
}

function isWithin(time: number, { since, until = Number.POSITIVE_INFINITY }: Period): boolean {
  return (isWholeSecond(time) ? time + 999 : time) >= since && time <= until;
}
