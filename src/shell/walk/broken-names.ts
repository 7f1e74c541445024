import { basename } from 'node:path';
import { untold } from '../../lib/told.ts';
import type { Look } from '../../places/look.ts';
import { isWithin } from '../../workspace/paths.ts';
import { isBroken, type Pieces, type Sweep } from '../grammar/types.ts';

/** Whether a name on its way from a search to a command may have become another one. */
export function mayBreak({ taken, from, tracked }: Pieces, look: Look): boolean {
  if (taken === undefined || taken === 'whole') return false;
  return from.some((directory) => {
    if (tracked && mayBreakKept(directory, taken, look)) return true;
    const below = look.below(directory);
    const vendored = look.vendored(directory);
    if (below === untold || vendored === untold) return true;
    return [...below.odd, ...vendored.odd].some((one) => isBroken(basename(one), taken));
  });
}

/** Whether a link is a file that git keeps, or leads to where git keeps one. */
export function isOnTheWay(link: string, kept: readonly string[]): boolean {
  return kept.some((path) => isWithin(path, link));
}

/** Git prints a name with other than plain characters in quotes, as a name that it does not have. */
function mayBreakKept(directory: string, taken: Sweep['taken'], look: Look): boolean {
  const kept = look.tracked(directory);
  return (
    kept === untold ||
    kept.some((path) => {
      if (!isWithin(path, directory)) return false;
      const name = path.slice(directory.length);
      return /["\\]|[^ -~]/.test(name) || isBroken(name, taken);
    })
  );
}
