import { statEntry } from '../../lib/files/entry-at.ts';
import { join } from '../../lib/files/exact-paths.ts';
import { resolveRealPath } from '../real-path.ts';
import { findRoot } from '../workspace.ts';
import { describeUnrecognised } from './recognised.ts';
import { readSettings } from './settings.ts';

/**
 * Whether the repository's own settings surely name no filter, no merge or diff driver and no other file of settings: then git
 * need not be asked for them. Only for the usual layout, a `.git` directory that shares nothing and that git uses;
 * anything else is "not sure".
 */
export function hasPlainSettings(cwd: string): boolean {
  const root = findRoot(resolveRealPath(cwd));
  if (root === undefined) return false;
  const own = join(root, '.git');
  if (!statEntry(own)?.isDirectory() || statEntry(join(own, 'commondir'))) return false;
  if (describeUnrecognised(own, own) !== undefined) return false;
  const settings = readSettings(join(own, 'config'));
  return settings !== undefined && !special.test(settings.toString('latin1'));
}

/** Headings of such sections, wherever they stand; an extension can bring a second file. */
const special = /\[\s*(?:filter|merge|diff|include|extensions)/i;
