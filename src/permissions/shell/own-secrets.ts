import { relativeParts } from '../../workspace/paths.ts';
import { foldName, resolvePath } from '../paths.ts';
import { matchesName } from '../pattern.ts';
import { holdsOwnSecret, isOwnSecret, ownSecrets } from '../protected.ts';
import type { CallWorkspace } from '../types.ts';
import type { ResolvedUse } from './uses.ts';

/**
 * Whether a search or a pattern comes across our own keys, or what the user trusts. No rule and no mode allows that, as
 * none allows naming them.
 */
export function meetsOwnSecret(place: ResolvedUse, workspace: CallWorkspace): boolean {
  const { kind, path, pattern, sweep } = place;
  if (kind !== 'search' && (kind !== 'read' || pattern === undefined)) return false;
  const { look } = workspace;
  const isSecret = (one: string) => isOwnSecret(resolvePath(one, workspace), workspace);
  if (kind === 'read' && pattern !== undefined && !pattern.includes('**'))
    return look?.expand(path, pattern)?.some(isSecret) ?? mayHold(path, workspace);
  const starts =
    kind === 'search' && pattern !== undefined ? (look?.expand(path, pattern) ?? [path]) : [path];
  const isFollowing = sweep !== undefined && sweep !== 'none' && sweep.follows === true;
  const behind = isFollowing ? starts.flatMap((one) => look?.below(one)?.links ?? []) : [];
  return (
    starts.some((one) => isSecret(one) || (mayHold(one, workspace) && isSearched(one, place, workspace))) ||
    behind.some((one) => isSecret(one) || mayHold(one, workspace))
  );
}

function mayHold(path: string, workspace: CallWorkspace): boolean {
  return holdsOwnSecret(resolvePath(path, workspace), workspace);
}

/** A search leaves out what begins with a dot, or has a pattern for names, unless it is told otherwise. */
function isSearched(path: string, { sweep }: ResolvedUse, { home, realPath }: CallWorkspace): boolean {
  if (sweep === undefined || sweep === 'none') return true;
  if (!sweep.deep && realPath(path) !== realPath(home)) return false;
  const fits = (pattern: string) => ownSecrets.some((name) => matchesName(foldName(pattern), name));
  if (sweep.only) return sweep.only.some(fits);
  const parts = relativeParts(realPath(home), realPath(path)) ?? [];
  return sweep.hidden || !parts.some((part) => part.startsWith('.'));
}
