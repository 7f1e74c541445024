import { basename } from 'node:path';
import { findCredential } from '../places/credentials.ts';
import { isInOwnPlace, isInside, type ResolvedPath } from '../places/paths.ts';
import { protectedName } from '../places/protected-names.ts';
import { allow } from '../places/reasons.ts';
import type { CallWorkspace } from '../places/types.ts';
import type { Access, Decision } from '../protocol/permission.ts';
import { relativeParts } from '../workspace/paths.ts';

/**
 * An agent may read and write its own memory, even where others would be asked. Protected names stay protected in it, and
 * so do credential files: it is in the repository, whose authors may have put anything there.
 */
export function judgeOwn(
  workspace: CallWorkspace,
  access: Access,
  path: ResolvedPath | undefined,
): Decision | undefined {
  if (!path || !workspace.writable) return undefined;
  const own = workspace.writable.find((place) => isInOwnPlace(path, place));
  if (!own) return undefined;
  if (access.kind === 'read' && findCredential(path, workspace.look) !== undefined) return undefined;
  if (access.kind === 'write' && isProtectedBelow([own.path, own.real], path)) return undefined;
  return access.kind === 'read' || access.kind === 'write'
    ? allow('workspace', `${path.given} is in this agent's own memory`)
    : undefined;
}

/**
 * The scratchpad belongs to the session and is the only place in our state directory that agents write without asking.
 * Protected names stay protected in it, and so does a link that leads out.
 */
export function judgeScratchpad(
  workspace: CallWorkspace,
  access: Access,
  path: ResolvedPath | undefined,
): Decision | undefined {
  const { scratchpad } = workspace;
  if (scratchpad === undefined || !path || !isInside(path, [scratchpad], workspace)) return undefined;
  if (access.kind === 'read' && findCredential(path, workspace.look) !== undefined) return undefined;
  const places = [scratchpad, workspace.realPath(scratchpad)];
  if (access.kind === 'write' && isProtectedBelow(places, path)) return undefined;
  return allow('workspace', `${path.given} is in the session's scratchpad`);
}

/** Paths that other programs take code or settings from, relative to a directory by any of its names. */
function isProtectedBelow(places: readonly string[], { given, real }: ResolvedPath): boolean {
  return [given, real].some((path) => {
    const inner = places.flatMap((place) => {
      const parts = relativeParts(path, place);
      return parts ? [[basename(place), ...parts]] : [];
    })[0];
    return inner === undefined || protectedName(`/${inner.join('/')}`) !== undefined;
  });
}
