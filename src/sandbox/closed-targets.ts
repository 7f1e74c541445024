import { dirname } from '../lib/files/exact-paths.ts';
import type { LedPlace } from '../places/led-places.ts';
import { fewPlaces } from './guard/few-places.ts';
import { isBelow, type Looks } from './guard/look.ts';

/** What has to be closed, in the directories that a command can write, so that nothing protected is led elsewhere. */
export interface ClosedTargets {
  /** Files and directories that protected paths lead to: read-only. */
  readonly present: string[];
  /** Those that are missing, and links on the way: nothing can be mounted there. */
  readonly watched: string[];
  /** Missing directories on the way, which may appear, but not as links. */
  readonly noLinks: string[];
}

/** `closed` are read-only already. Targets that are directories around the workspace are left out. */
export function closeTargets(
  led: readonly LedPlace[],
  roots: readonly string[],
  closed: readonly string[],
  looks: Looks,
): ClosedTargets {
  const isInside = (path: string) => roots.some((root) => path !== root && isBelow(path, root));
  const isOpen = (path: string) => isInside(path) && !closed.some((one) => isBelow(path, one));
  const ends = [...new Set(led.map(({ path }) => path))].filter(
    (path) => isOpen(path) && !holdsRoot(path, roots),
  );
  const ways = [...new Set(led.flatMap(({ way }) => way))].filter(isOpen);
  const isLink = (path: string) => looks.at(path)?.isSymbolicLink() === true;
  const isMissing = (path: string) => looks.at(path) === undefined;
  return {
    present: fewPlaces(
      ends.filter((path) => !isMissing(path)),
      roots,
    ),
    watched: [...ends.filter(isMissing), ...ways.filter(isLink)],
    noLinks: [...ends, ...ways].flatMap((path) => listAbove(path, isInside)).filter(isMissing),
  };
}

function holdsRoot(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => isBelow(root, path));
}

function listAbove(path: string, isInside: (path: string) => boolean): string[] {
  const above: string[] = [];
  for (let up = dirname(path); isInside(up); up = dirname(up)) above.push(up);
  return above;
}
