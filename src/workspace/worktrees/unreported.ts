import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { statEntry } from '../../lib/files/entry-at.ts';
import { findGitDirectory, isGitDirectory } from '../git/directory.ts';
import { resolveRealPath } from '../real-path.ts';
import { nameFile, nameFiles } from './words.ts';

/** More than are named in a message. */
const maxFound = 11;
/** Of one submodule. One that has more is not taken for an empty one. */
const maxDirectories = 1000;

/**
 * Why a submodule's directory must stay although no repository is in it: git looks at none of the files there, so they would
 * neither land nor keep the worktree. Undefined where there are none. `called` is its name in messages.
 */
export function describeUnreported(top: string, place: string, called: string): string | undefined {
  const files = listUnreported(top, place);
  if (files.length === 0) return undefined;
  return (
    `the submodule ${nameFile(called)} holds files that git does not see, since it is not initialised ` +
    `(${nameFiles(files.map((name) => join(called, name)))}): move them out of it, or remove them`
  );
}

/** Whether git takes the directory of a submodule for a repository of its own. */
export function isInitialised(path: string): boolean {
  const data = findGitDirectory(path);
  return data !== undefined && isGitDirectory(data);
}

/** Git sees what is behind a link, or in place of a directory, as a change. */
function listUnreported(top: string, place: string): string[] {
  const path = join(top, place);
  if (!statEntry(path)?.isDirectory()) return [];
  if (resolveRealPath(path) !== join(resolveRealPath(top), place)) return [];
  const found: string[] = [];
  const waiting = [''];
  for (let looked = 0; found.length < maxFound; looked++) {
    const name = waiting.pop();
    if (name === undefined) break;
    if (looked === maxDirectories) return [name];
    const inside = readEntries(join(path, name));
    // What cannot be read may be anything.
    if (!inside) found.push(name);
    for (const entry of inside ?? []) (entry.isDirectory() ? waiting : found).push(join(name, entry.name));
  }
  return found;
}

function readEntries(path: string) {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return undefined;
  }
}
