import { type BytePath, getParentPath } from './moving/byte-path.ts';
import type { Change } from './moving/changes.ts';

/**
 * Whether two changes without a file in common can still conflict: one has a file where the other has a directory, or one
 * moves files out of a directory in which the other adds some. Quick, since it is asked for every two worktrees; the merge
 * itself gives the answer.
 */
export function mayMeet(ours: readonly Change[], theirs: readonly Change[]): boolean {
  return (
    isOneAbove(ours, theirs) || isOneAbove(theirs, ours) || isMoved(ours, theirs) || isMoved(theirs, ours)
  );
}

function isOneAbove(files: readonly Change[], others: readonly Change[]): boolean {
  const above = new Set(others.flatMap(({ path, new: after }) => (after ? listAbove(path) : [])));
  return files.some(({ path, new: after }) => after !== undefined && above.has(path));
}

/** Files that go make their directories a possible origin of a rename. */
function isMoved(moving: readonly Change[], adding: readonly Change[]): boolean {
  const left = new Set(moving.flatMap(({ path, new: after }) => (after ? [] : listAbove(path))));
  if (!moving.some(({ old }) => old === undefined)) return false;
  return adding.some(
    ({ path, old }) => old === undefined && listAbove(path).some((place) => left.has(place)),
  );
}

function listAbove(path: BytePath): BytePath[] {
  const above: BytePath[] = [];
  for (let at = getParentPath(path); at !== ''; at = getParentPath(at)) above.push(at);
  return above;
}
