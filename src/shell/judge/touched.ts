import { joinTold, listKnown, mapTold, type Told, untold } from '../../lib/told.ts';
import type { CallWorkspace } from '../../places/types.ts';
import { isWithin } from '../../workspace/paths.ts';
import { gitWays } from '../git/moves.ts';
import type { SimpleCommand } from '../grammar/types.ts';
import type { Effect, PathUse } from '../programs/effect.ts';
import type { FileChange } from '../walk/file-changes.ts';
import { type ResolvedUse, resolveUse } from './uses.ts';

/**
 * Why a part of a line may reach other files than it is judged by, since earlier or concurrent parts change what was looked
 * at. Nothing for a plain path: neither a link nor `..` is on its way, and it stays what its text says.
 */
export function findTouched(
  command: SimpleCommand,
  effect: Effect,
  uses: readonly PathUse[],
  changes: readonly FileChange[],
  workspace: CallWorkspace,
): string | undefined {
  const git = effect.git && gitWays(effect.git.move, command.directories, workspace);
  if (uses.length === 0 && !git) return undefined;
  const underfoot = changes.filter(({ isUnderfoot }) => isUnderfoot);
  const moved = command.directories.find((directory) =>
    underfoot.some((change) => changesWay([workspace.realPath(directory)], change)),
  );
  if (moved !== undefined) return `the line moves or removes ${moved}, where it would run`;
  if (git?.some((place) => isRepositoryTouched(place, changes, workspace)))
    return 'the line may replace the repository that git reads';
  const carries = effect.known ? effect.carries : undefined;
  if (carries && changes.some(({ givesTime }) => givesTime))
    return `what ${carries.sources[0]?.text ?? ''} contains may change before then`;
  // An unknown place is asked about separately.
  const touched = uses.find((use) =>
    listKnown(resolveUse(use, command.directories)).some((place) => isTouched(place, changes, workspace)),
  );
  return (
    touched &&
    `the target of ${touched.word.text} may be changed by another part of the line, or by other processes while it waits`
  );
}

function isTouched(place: ResolvedUse, changes: readonly FileChange[], workspace: CallWorkspace): boolean {
  const isFound = isFoundByLook(place);
  const mayFind = isFound || (place.sweep !== 'none' && place.sweep?.heeds === true);
  if (changes.some(({ makesLinks }) => makesLinks) && (mayFind || !isRoot(place.path, workspace)))
    return true;
  if (isFound && changes.some((change) => makesNamesAmong(place, change, workspace))) return true;
  const ways = changes.filter(({ changesWays }) => changesWays);
  if (ways.length === 0) return false;
  const found = isFound ? namesFound(place, workspace) : [];
  if (found === untold) return true;
  return [place.path, ...found].some((path) => {
    const way = workspace.look?.way(resolveRootOnly(path, workspace)) ?? { names: [], turns: true };
    return way.turns && ways.some((change) => changesWay(way.names, change));
  });
}

/** Whether the files it opens depend on which names exist: not for a shell that only shows them. */
function isFoundByLook({ kind, pattern, sweep, pieces }: ResolvedUse): boolean {
  const how = sweep === 'none' ? undefined : sweep;
  if (pieces || how?.follows) return true;
  if (pattern === undefined) return false;
  return !(kind === 'list' && how === undefined && !pattern.includes('/'));
}

/** Names that a pattern becomes, or links that a search finds. */
function namesFound({ path, pattern }: ResolvedUse, { look }: CallWorkspace): Told<readonly string[]> {
  if (!look) return untold;
  if (pattern !== undefined && !pattern.includes('**')) return look.expand(path, pattern);
  return joinTold(
    mapTold(look.below(path), ({ links, inward }) => [...links, ...inward]),
    mapTold(look.vendored(path), ({ links }) => links),
  );
}

function makesNamesAmong(
  { path, sweep, pieces }: ResolvedUse,
  change: FileChange,
  workspace: CallWorkspace,
): boolean {
  if (!change.makesNames) return false;
  const { path: at } = change;
  if (at === undefined) return true;
  const from = sweep !== undefined && sweep !== 'none' ? (sweep.from ?? []) : [];
  return [path, ...from, ...(pieces?.from ?? [])]
    .flatMap((root) => [root, workspace.realPath(root)])
    .some((root) => isWithin(at, root) || isWithin(root, at));
}

/** Whether one of the names on a way is changed. */
function changesWay(names: readonly string[], { changesWays, path, isBelow }: FileChange): boolean {
  if (!changesWays) return false;
  if (path === undefined) return true;
  return names.some((name) => isWithin(name, path) && !(isBelow && name === path));
}

/** The directory of the workspace itself stays a repository, or stays none. */
function isRepositoryTouched(
  place: string,
  changes: readonly FileChange[],
  workspace: CallWorkspace,
): boolean {
  const names = [place, workspace.realPath(place)];
  return changes.some(
    (change) =>
      (change.makesLinks && !isRoot(place, workspace)) ||
      (change.path !== undefined && changesWay(names, change)),
  );
}

function isRoot(path: string, { cwd, directories }: CallWorkspace): boolean {
  return [cwd, ...directories].includes(path);
}

/** No part of the line can change a link on the way to the workspace. */
function resolveRootOnly(path: string, { cwd, directories, realPath }: CallWorkspace): string {
  const root = [cwd, ...directories].find((one) => path.startsWith(`${one}/`));
  return root === undefined ? path : realPath(root) + path.slice(root.length);
}
