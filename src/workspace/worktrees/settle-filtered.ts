import { lutimesSync } from 'node:fs';
import { join } from 'node:path';
import { statEntry } from '../../lib/files/entry-at.ts';
import { listFiltered } from './filtered.ts';
import { bindGit, type WorktreeWorld } from './repository.ts';

/**
 * Has git record files with a filter in a new checkout as unchanged. Git compares the content of a file that is as new as its index,
 * again with each look, and here that would be all of them. Commands that only look run no filter of the repository, so these files
 * would seem changed. Where it fails they do.
 */
export async function settleFiltered(path: string, world: WorktreeWorld): Promise<void> {
  const git = bindGit(world, path);
  const listed = await git(['ls-files', '-z']);
  const names = listed.ok ? listed.value.split('\0').filter((name) => name !== '') : [];
  const filtered = await listFiltered(names, git);
  if (!filtered.ok || filtered.value.size === 0) return;
  const settled = [...filtered.value.keys()].filter((name) => makeOlder(join(path, name)));
  const input = settled.map((name) => `:(literal)${name}\0`).join('');
  await git(['add', '--refresh', '--pathspec-from-file=-', '--pathspec-file-nul'], {
    input,
    timeoutMs: 10 * 60_000,
  });
}

/** Git compares whole seconds. */
function makeOlder(path: string): boolean {
  const stat = statEntry(path);
  if (!stat?.isFile()) return false;
  try {
    lutimesSync(path, stat.atimeMs / 1000, stat.mtimeMs / 1000 - 2);
    return true;
  } catch {
    return false;
  }
}
