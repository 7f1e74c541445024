import { ok, type Result } from '../../lib/result.ts';
import { countThings } from '../../lib/text/count-things.ts';
import { withIndexCopy } from './index-copy.ts';
import { bindGit, type Git, type WorktreeWorld } from './repository.ts';

/** Everything in a checkout now that is not ignored, as a tree; neither the checkout nor its index is touched. */
export async function snapshotTree(
  path: string,
  world: WorktreeWorld,
  /** Files whose present content is left out. */
  without: readonly string[] = [],
): Promise<Result<string>> {
  const git = bindGit(world, path);
  return withIndexCopy(path, world, ({ file }) => writeTree(git, file, '--all', without));
}

/** In a sparse checkout this includes files written outside the part that is checked out. */
export async function writeTree(
  git: Git,
  indexFile: string,
  which: '--all' | '--update',
  without: readonly string[] = [],
): Promise<Result<string>> {
  const input = ['.', ...without.map((name) => `:(top,exclude,literal)${name}`)].join('\0');
  const from = ['--pathspec-from-file=-', '--pathspec-file-nul'];
  const added = await git(['add', which, '--sparse', ...from], { indexFile, input });
  if (!added.ok) return added;
  const tree = await git(['write-tree'], { indexFile });
  return tree.ok ? ok(tree.value.trim()) : tree;
}

export interface Diffstat {
  files: { path: string; added: number; removed: number }[];
  added: number;
  removed: number;
}

export async function diffstat(
  from: string,
  to: string,
  cwd: string,
  world: WorktreeWorld,
): Promise<Result<Diffstat>> {
  const listed = await bindGit(world, cwd)(['diff', '--numstat', '-z', '--no-renames', from, to, '--']);
  if (!listed.ok) return listed;
  const files = listed.value
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [added = '', removed = '', ...name] = entry.split('\t');
      // A binary file has no lines.
      return { path: name.join('\t'), added: Number(added) || 0, removed: Number(removed) || 0 };
    });
  const sum = (key: 'added' | 'removed') => files.reduce((total, file) => total + file[key], 0);
  return ok({ files, added: sum('added'), removed: sum('removed') });
}

export function describeDiffstat({ files, added, removed }: Diffstat): string {
  return `${countThings(files.length, 'file')} changed, ${countThings(added, 'line')} added, ${removed} removed`;
}
