import { basename } from 'node:path';
import { findCredential } from '../places/credentials.ts';
import { isInOwnPlace, isInside, type ResolvedPath } from '../places/paths.ts';
import { protectedName } from '../places/protected-names.ts';
import { allow } from '../places/reasons.ts';
import type { Call, CallWorkspace } from '../places/types.ts';
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
 * Two places in our state directory are written without asking: the scratchpad of the session, and the notes of its team. Those only
 * by file tools, which keep to the rules of the notes; of what commands wrote there only the result can be inspected.
 * Protected names stay protected in both, and so does a link that leads out.
 */
export function judgeShared(
  { workspace, inside }: Pick<Call, 'workspace' | 'inside'>,
  access: Access,
  path: ResolvedPath | undefined,
): Decision | undefined {
  const { scratchpad, teamMemory } = workspace;
  const isOfCommand = inside !== undefined;
  return (
    judgePlace(workspace, access, path, { directory: scratchpad, name: "the session's scratchpad" }) ??
    judgePlace(workspace, access, path, {
      directory: isOfCommand ? undefined : teamMemory,
      name: "the team's memory",
    })
  );
}

function judgePlace(
  workspace: CallWorkspace,
  access: Access,
  path: ResolvedPath | undefined,
  { directory, name }: { directory: string | undefined; name: string },
): Decision | undefined {
  if (directory === undefined || !path || !isInside(path, [directory], workspace)) return undefined;
  if (access.kind === 'read' && findCredential(path, workspace.look) !== undefined) return undefined;
  const places = [directory, workspace.realPath(directory)];
  if (access.kind === 'write' && isProtectedBelow(places, path)) return undefined;
  return allow('workspace', `${path.given} is in ${name}`);
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
