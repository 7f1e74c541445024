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
  files: DiffstatFile[];
  added: number;
  removed: number;
}

export interface DiffstatFile {
  path: string;
  /** The name it had, if it was renamed. */
  from?: string;
  added: number;
  removed: number;
}

/** The limit is given so that every look at the same commits has the same result, whatever git's configuration there says. */
const findRenames = ['--find-renames', '-l1000'];

export async function diffstat(
  from: string,
  to: string,
  cwd: string,
  world: WorktreeWorld,
): Promise<Result<Diffstat>> {
  const listed = await bindGit(world, cwd)(['diff', '--numstat', '-z', ...findRenames, from, to, '--']);
  if (!listed.ok) return listed;
  const files = readNumstat(listed.value);
  const sum = (key: 'added' | 'removed') => files.reduce((total, file) => total + file[key], 0);
  return ok({ files, added: sum('added'), removed: sum('removed') });
}

function readNumstat(output: string): DiffstatFile[] {
  const entries = output.split('\0').values();
  const files: DiffstatFile[] = [];
  for (const entry of entries) {
    if (entry === '') continue;
    const [added = '', removed = '', ...rest] = entry.split('\t');
    // A binary file has no lines.
    const lines = { added: Number(added) || 0, removed: Number(removed) || 0 };
    const path = rest.join('\t');
    // The names of a renamed file are entries of their own.
    if (path !== '') files.push({ path, ...lines });
    else files.push({ from: entries.next().value ?? '', path: entries.next().value ?? '', ...lines });
  }
  return files;
}

export function describeDiffstat({ files, added, removed }: Diffstat): string {
  return `${countThings(files.length, 'file')} changed, ${countThings(added, 'line')} added, ${removed} removed`;
}
