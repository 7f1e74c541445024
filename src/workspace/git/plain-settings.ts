import { statEntry } from '../../lib/files/entry-at.ts';
import { dirname, join } from '../../lib/files/exact-paths.ts';
import { resolveRealPath } from '../real-path.ts';
import { findRoot } from '../workspace.ts';
import { findCommonDirectory, findGitDirectory, readPointer } from './directory.ts';
import { describeUnrecognised } from './recognised.ts';
import { readSettings } from './settings.ts';

/**
 * Whether the repository's own settings surely name no filter, no merge or diff driver and no other file of settings: then git
 * need not be asked for them. Only for the usual layouts, a `.git` directory that shares nothing or a worktree as git links
 * it, which git uses; anything else is "not sure".
 */
export function hasPlainSettings(cwd: string): boolean {
  const root = findRoot(resolveRealPath(cwd));
  const data = root === undefined ? undefined : findUsualData(root);
  if (data === undefined || describeUnrecognised(data.own, data.shared) !== undefined) return false;
  const settings = readSettings(join(data.shared, 'config'));
  return settings !== undefined && !special.test(settings.toString('latin1'));
}

function findUsualData(root: string): { own: string; shared: string } | undefined {
  const place = join(root, '.git');
  const entry = statEntry(place);
  if (entry?.isDirectory()) {
    const isShared = statEntry(join(place, 'commondir')) !== undefined;
    return isShared ? undefined : { own: place, shared: place };
  }
  const own = entry?.isFile() ? findGitDirectory(root) : undefined;
  return own === undefined ? undefined : findLinkedData(place, own);
}

/** The data of a linked worktree stands in the shared one and points back. */
function findLinkedData(place: string, own: string): { own: string; shared: string } | undefined {
  const shared = dirname(dirname(own));
  const isLinked =
    resolveRealPath(own) === own &&
    own.startsWith(join(shared, 'worktrees/')) &&
    findCommonDirectory(own) === shared &&
    readPointer(join(own, 'gitdir')) === place;
  return isLinked ? { own, shared } : undefined;
}

/** Headings of such sections, wherever they stand; an extension can bring a second file. */
const special = /\[\s*(?:filter|merge|diff|include|extensions)/i;
