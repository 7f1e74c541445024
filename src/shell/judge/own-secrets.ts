import { basename } from 'node:path';
import { joinTold, mapTold, type Told, untold } from '../../lib/told.ts';
import type { Look } from '../../places/look.ts';
import { matchesName } from '../../places/name-pattern.ts';
import { foldName, resolvePath } from '../../places/paths.ts';
import {
  holdsOwnSecret,
  isOwnSecret,
  isProcessDirectory,
  ownSecrets,
  processSecrets,
} from '../../places/protected.ts';
import type { CallWorkspace } from '../../places/types.ts';
import { relativeParts } from '../../workspace/paths.ts';
import { everything } from '../grammar/types.ts';
import { inwardMet, linksMet, sharedMet } from './met-below.ts';
import type { ResolvedUse } from './uses.ts';

/**
 * Whether a search or a pattern finds our own keys, or the user's trust. No rule and no mode allows that, as none allows
 * naming them.
 */
export function meetsOwnSecret(place: ResolvedUse, workspace: CallWorkspace): Told<boolean> {
  const { kind, path, pattern } = place;
  if (kind !== 'search' && (kind !== 'read' || pattern === undefined)) return false;
  const { look } = workspace;
  if (!look) return mayHold(path, workspace);
  const isSecret = (one: string) => isOwnSecret(resolvePath(one, workspace), workspace);
  const isPlain = pattern !== undefined && !pattern.includes('**');
  const starts = isPlain ? look.expand(path, pattern) : [path];
  if (starts === untold) return untold;
  if (kind === 'read' && isPlain) return starts.some(isSecret);
  if (starts.some((one) => isSecret(one) || (mayHold(one, workspace) && isSearched(one, place, workspace))))
    return true;
  const behind = joinTold(linksBehind(starts, place, look), namesBehind(starts, place, workspace));
  return mapTold(behind, (links) => links.some((one) => isSecret(one) || mayHold(one, workspace)));
}

/** Links are included where they are followed, and where a command opens the names that a search found. */
function linksBehind(
  starts: readonly string[],
  { pattern, sweep }: ResolvedUse,
  look: Look,
): Told<readonly string[]> {
  const how = sweep && sweep !== 'none' ? sweep : everything;
  if (!how.follows && !pattern?.includes('**')) return [];
  const directories = starts.filter((one) => look.isDirectory(one));
  return joinTold(
    ...directories.map((one) => linksMet(look, one, how)),
    ...directories.map((one) => inwardMet(look, one, how)),
  );
}

/** Files with several names, where our own are among those. */
function namesBehind(
  starts: readonly string[],
  { sweep }: ResolvedUse,
  { look, home }: CallWorkspace,
): Told<readonly string[]> {
  const isAny = ownSecrets.some((name) => look?.otherNames(`${home}/${name}`) !== undefined);
  if (!look || !isAny) return [];
  const how = sweep && sweep !== 'none' ? sweep : everything;
  return joinTold(...starts.filter((one) => look.isDirectory(one)).map((one) => sharedMet(look, one, how)));
}

function mayHold(path: string, workspace: CallWorkspace): boolean {
  return holdsOwnSecret(resolvePath(path, workspace), workspace);
}

/** A search skips dot names, or has a pattern for names, unless it has an option for them. */
function isSearched(
  path: string,
  { sweep, isOpened }: ResolvedUse,
  { home, realPath }: CallWorkspace,
): boolean {
  if (sweep === undefined || sweep === 'none') return true;
  const isProcess = [path, realPath(path)].some(isProcessDirectory);
  const names = isProcess ? processSecrets : ownSecrets.flatMap((name) => [name, basename(name)]);
  if (!sweep.deep && !isProcess && realPath(path) !== realPath(home)) return false;
  const parts = relativeParts(realPath(home), realPath(path)) ?? [];
  // A directory that is found by its name may be opened with everything in it.
  const met = isOpened ? [...names, ...(isProcess ? [] : parts)] : names;
  if (sweep.only)
    return sweep.only.some((pattern) => met.some((name) => matchesName(foldName(pattern), foldName(name))));
  if (isProcess) return true;
  return sweep.hidden || !parts.some((part) => part.startsWith('.'));
}
