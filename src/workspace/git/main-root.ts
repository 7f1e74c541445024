import { statEntry } from '../../lib/files/entry-at.ts';
import { realpathSync } from '../../lib/files/exact-files.ts';
import { basename, dirname, join, resolve } from '../../lib/files/exact-paths.ts';
import { findCommonDirectory, findGitDirectory, readPointer } from './directory.ts';

/**
 * The top of the main checkout of a work tree; the root itself where it is the main one. Reads files only. A `.git` file may
 * say anything: it is trusted only where the other side points back.
 */
export function findMainRoot(root: string): string {
  const link = join(root, '.git');
  try {
    if (!statEntry(link)?.isFile()) return root;
    const own = findGitDirectory(root);
    const named = own === undefined ? undefined : readPointer(join(own, 'gitdir'));
    if (own === undefined || named === undefined) return root;
    const back = resolve(own, named);
    const common = findCommonDirectory(own);
    const isOurs = realpathSync(back) === realpathSync(link) && basename(common) === '.git';
    return isOurs && dirname(dirname(realpathSync(own))) === realpathSync(common) ? dirname(common) : root;
  } catch {
    return root;
  }
}
