import { basename } from 'node:path';
import { untold } from '../lib/told.ts';
import { isWithin } from '../workspace/paths.ts';
import { listTwinNames } from './path-rules.ts';
import { foldName, isTold, type ResolvedPath } from './paths.ts';
import { findProtectedName } from './protected-names.ts';
import type { CallWorkspace } from './types.ts';

/** Why writing this path always needs approval; undefined for an ordinary path. */
export function findProtection(path: ResolvedPath, workspace: CallWorkspace): string | undefined {
  const ours = [workspace.home, `${workspace.userHome}/.claude`];
  const own = [path.real, path.given];
  const { cwd, directories, isolated } = workspace;
  const roots = [cwd, ...directories, ...(isolated ? [isolated.from] : [])];
  for (const one of listTwinNames({ given: path.real, real: path.given }, workspace)) {
    const owner = ours.find(
      (place) => isWithinFolded(one, place) || isWithinFolded(one, workspace.realPath(place)),
    );
    if (owner !== undefined) return `${owner} holds settings and state`;
    // A name is the same in every checkout.
    const found = own.includes(one) ? findProtectedName(one, findInnermostRoot(one, workspace)) : undefined;
    if (found) return `${found.name} is a protected path: ${found.reason}`;
    const later = workspace.runsLater?.(one, roots);
    if (later !== undefined) return later;
  }
  return undefined;
}

/** The innermost directory of the workspace that holds a path. */
function findInnermostRoot(path: string, { cwd, directories, realPath }: CallWorkspace): string | undefined {
  const roots = [cwd, ...directories].flatMap((one) => [one, realPath(one)]);
  return roots.filter((root) => isWithin(path, root)).sort((a, b) => b.length - a.length)[0];
}

/** Why writing a file would change more than its name says: its other names may be anywhere. */
export function sharedFile(path: ResolvedPath, { look }: CallWorkspace): string | undefined {
  const names = look?.otherNames(path.real);
  if (!names) return undefined;
  const [known] = names === untold ? [] : names;
  const which = known === undefined ? 'which may be outside the workspace' : `including ${known}`;
  return `${path.given} has other hard links, ${which}; all of them would change`;
}

/**
 * Files that no tool may read or write, in any mode: the keys entered for model providers, the tokens for MCP servers, the key
 * that signs remote jobs, and the user's trust and approvals, because writing those would grant trust in the user's place. Keys from the environment are
 * still in the environment and memory of our process, and other processes may hold them too.
 */
export function isOwnSecret(path: ResolvedPath, workspace: CallWorkspace): boolean {
  const meant = listMeant(path, workspace);
  if (meant.some((one) => ofProcess.test(one))) return true;
  const names = [...meant, ...listTwinNames(path, workspace)];
  const files = ownSecrets.map((name) => workspace.realPath(`${workspace.home}/${name}`));
  if (workspace.look?.otherNameAt(path.real, files) !== undefined) return true;
  return [...ownSecrets, ...secretDirectories].some((name) => {
    const file = `${workspace.home}/${name}`;
    const real = workspace.realPath(file);
    // Below /proc a path leads elsewhere for the process that opens it than for the one that checks it.
    const isBehind =
      path.given.startsWith('/proc/') &&
      foldName(path.given).endsWith(`/${basename(workspace.home)}/${name}`);
    return isBehind || names.some((one) => isWithinFolded(one, file) || isWithinFolded(one, real));
  });
}

export const ownSecrets: readonly string[] = [
  ...['keys.json', 'trust.json', 'mcp-auth.json', 'mcp-pins.json'],
  ...['remote/key.pem', 'remote/known-keys'],
];
/** Nothing else is in these. */
const secretDirectories = ['remote'];

const ofProcess = /^\/proc\/[^/]+\/(?:task\/[^/]+\/)?(?:environ|mem)$/;
/** Names of files that hold secrets of a process. */
export const processSecrets: readonly string[] = ['environ', 'mem'];

/** A directory of processes, or of one of them. */
export function isProcessDirectory(path: string): boolean {
  return /^\/proc(?:\/[^/]+(?:\/task(?:\/[^/]+)?)?)?$/.test(path);
}

/** A search through this directory would find our own keys. */
export function holdsOwnSecret(path: ResolvedPath, workspace: CallWorkspace): boolean {
  const meant = listMeant(path, workspace);
  if (meant.some(isProcessDirectory)) return true;
  return [workspace.home, workspace.realPath(workspace.home)].some((home) =>
    meant.some((one) => isWithinFolded(home, one)),
  );
}

/** What a path means by its name and by where it leads; where that depends on the process, by where it leads ours. */
function listMeant(path: ResolvedPath, { look }: CallWorkspace): string[] {
  const end = isTold(path) ? path.real : look?.way(path.given).ownEnd;
  return [path.given, ...(end === undefined ? [] : [end])];
}

function isWithinFolded(path: string, directory: string): boolean {
  return isWithin(foldName(path), foldName(directory));
}
