import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/**
 * The top of the main checkout that a work tree belongs to; the root itself where it is the main one. Looks at files
 * only. A `.git` file may say anything: it is believed only where the other side points back.
 */
export function findMainRoot(root: string): string {
  const link = join(root, '.git');
  try {
    if (!lstatSync(link, { throwIfNoEntry: false })?.isFile()) return root;
    // All but the end of the file is the path, which may hold a newline.
    const named = /^gitdir: ([\s\S]+)$/.exec(readShort(link))?.[1];
    if (named === undefined) return root;
    const own = resolve(root, named.trim());
    const back = resolve(own, readShort(join(own, 'gitdir')).trim());
    const common = resolve(own, readShort(join(own, 'commondir')).trim());
    const isOurs = realpathSync(back) === realpathSync(link) && basename(common) === '.git';
    return isOurs && dirname(dirname(realpathSync(own))) === realpathSync(common) ? dirname(common) : root;
  } catch {
    return root;
  }
}

const longest = 8 * 1024;

function readShort(path: string): string {
  if ((lstatSync(path).size ?? 0) > longest) return '';
  return readFileSync(path, 'utf8');
}
