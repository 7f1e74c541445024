import { statEntry } from '../../lib/files/entry-at.ts';
import { dirname, join } from '../../lib/files/exact-paths.ts';
import { isLossy } from '../../lib/text/utf8.ts';
import { isWithin } from '../paths.ts';
import { resolveRealPath } from '../real-path.ts';
import { findGitDirectory, isGitDirectory } from './directory.ts';

/**
 * The directory that git, run here, takes for its repository although it has no `.git`: plain files, which a clone may
 * hold, and whose settings run programs. A bare repository that the user opened as the workspace is the user's own, unless
 * another repository is around it.
 */
export function findEmbeddedRepository(directory: string, roots: readonly string[]): string | undefined {
  const real = resolveRealPath(directory);
  if (isLossy(real)) return real;
  for (let place: string = real; ; place = dirname(place)) {
    if (isCheckout(place)) return undefined;
    if (isGitDirectory(place)) return isOpenedAsBare(place, roots) ? undefined : place;
    if (place === dirname(place)) return undefined;
  }
}

/** Git looks at `.git` first, and passes by one that leads to no repository. */
function isCheckout(place: string): boolean {
  const named = findGitDirectory(place);
  return named !== undefined && isGitDirectory(named);
}

function isOpenedAsBare(place: string, roots: readonly string[]): boolean {
  if (!roots.some((root) => isWithin(resolveRealPath(root), place))) return false;
  for (let above = dirname(place); ; above = dirname(above)) {
    if (statEntry(join(above, '.git')) || isGitDirectory(above)) return false;
    if (above === dirname(above)) return true;
  }
}
