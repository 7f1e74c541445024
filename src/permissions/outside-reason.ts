import { isLossy } from '../lib/text/utf8.ts';
import { isTold, type ResolvedPath } from '../places/paths.ts';

/** Why a path is not one of the workspace, or of another place. */
export function outsideReason(path: ResolvedPath, place = 'the workspace'): string {
  if (isLossy(path.given) || isLossy(path.real))
    return `${path.given} has a name that is not valid UTF-8: its target cannot be determined`;
  if (!isTold(path)) return describeUntold(path);
  return `${path.given}${leading(path)} is outside ${place}`;
}

/** Why it is not known whether a rule applies to a path. */
export function untoldReason(path: ResolvedPath | undefined, rule: string): string {
  return path && !isTold(path)
    ? `${describeUntold(path)}, so ${rule} may apply`
    : `it has other hard links, and the workspace is too large to check whether ${rule} applies to one of them`;
}

/** Its links form a circle, or pass through a place such as `/proc/self`, which is another one for each process. */
function describeUntold({ given }: ResolvedPath): string {
  return `it is unclear where the links in ${given} lead`;
}

function leading(path: ResolvedPath): string {
  return path.real === path.given ? '' : ` (a link to ${path.real})`;
}
