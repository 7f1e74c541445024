import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeTree } from '../../../src/lib/files/remove-tree.ts';

/** Whether a tree goes whose directories are closed at every level. */
export default function removeClosed(_args: unknown[], directory: string): boolean {
  const top = join(directory, 'top');
  mkdirSync(join(top, 'a/b/c'), { recursive: true });
  for (const name of ['a/file', 'a/b/file', 'a/b/c/file']) writeFileSync(join(top, name), '', { mode: 0 });
  for (const name of ['a/b/c', 'a/b', 'a', '.']) chmodSync(join(top, name), name === 'a/b' ? 0o500 : 0);
  return removeTree(top) && !existsSync(top);
}
