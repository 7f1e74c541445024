import { join } from 'node:path';
import { ok, type Result } from '../../lib/result.ts';
import type { Git } from '../../workspace/worktrees/repository.ts';
import type { BytePath } from './byte-path.ts';

/** A file as a commit has it. */
export interface Side {
  mode: string;
  blob: string;
}

export interface Change {
  path: BytePath;
  /** Absent where the file is new. */
  old?: Side;
  /** Absent where it is removed. */
  new?: Side;
}

const linkMode = '160000';

/** A submodule: another repository, of which git keeps only the commit. */
export function isSubmodule(side: Side | undefined): boolean {
  return side?.mode === linkMode;
}

export async function changesBetween(git: Git, from: string, to: string): Promise<Result<Change[]>> {
  const flags = ['-r', '--raw', '-z', '--no-renames', '--no-abbrev', '--ignore-submodules=none'];
  const listed = await git(['diff-tree', ...flags, from, to, '--'], { bytes: true });
  if (!listed.ok) return listed;
  const fields = listed.value.split('\0');
  const changes: Change[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [before = '', after = '', old = '', blob = ''] = (fields[at] ?? '').slice(1).split(' ');
    changes.push({
      path: fields[at + 1] ?? '',
      ...(/^0+$/.test(before) ? {} : { old: { mode: before, blob: old } }),
      ...(/^0+$/.test(after) ? {} : { new: { mode: after, blob } }),
    });
  }
  return ok(changes);
}

/** The files whose content in the checkout differs from the given one. `directory` is for an index of our own. */
export async function differing(
  sides: readonly { path: BytePath; side: Side }[],
  git: Git,
  directory: string,
): Promise<Result<Set<BytePath>>> {
  const indexFile = join(directory, 'compared');
  const input = sides.map(({ path, side }) => `${side.mode} ${side.blob}\t${path}\0`).join('');
  const empty = await git(['read-tree', '--empty'], { indexFile });
  if (!empty.ok) return empty;
  const filled = await git(['update-index', '-z', '--index-info'], { indexFile, input, bytes: true });
  if (!filled.ok) return filled;
  const compared = await git(['update-index', '-q', '--refresh'], { indexFile, alsoGood: [1] });
  if (!compared.ok) return compared;
  const listed = await git(['diff-files', '-z', '--name-only'], { indexFile, bytes: true });
  return listed.ok ? ok(new Set(listed.value.split('\0').filter((path) => path !== ''))) : listed;
}
