import { findCredentialPath } from '../places/credentials.ts';
import { isInside, type ResolvedPath } from '../places/paths.ts';
import { protectedName } from '../places/protected-names.ts';
import { allow } from '../places/reasons.ts';
import type { CallWorkspace } from '../places/types.ts';
import type { Access, Decision } from '../protocol/permission.ts';
import { relativeParts } from '../workspace/paths.ts';

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
  if (access.kind === 'read' && findCredentialPath(path) !== undefined) return undefined;
  if (access.kind === 'write' && isProtectedInScratchpad(scratchpad, path, workspace)) return undefined;
  return allow('workspace', `${path.given} is in the session's scratchpad`);
}

/** Paths that other programs take code or settings from, relative to the scratchpad. */
function isProtectedInScratchpad(
  scratchpad: string,
  { given, real }: ResolvedPath,
  workspace: CallWorkspace,
): boolean {
  const places = [scratchpad, workspace.realPath(scratchpad)];
  return [given, real].some((path) => {
    const inner = places.map((place) => relativeParts(path, place)).find((parts) => parts !== undefined);
    return inner === undefined || protectedName(`/${inner.join('/')}`) !== undefined;
  });
}
