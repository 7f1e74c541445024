import { failure, ok, type Result } from '../lib/result.ts';
import { commitTree } from '../workspace/worktree-carry.ts';
import { gitIn } from '../workspace/worktree-repository.ts';
import type { Conflict, Ground } from './types.ts';

export type Merged = { clean: true; tree: string } | { clean: false; conflicts: Conflict[] };

export interface ThreeWay {
  /** What both sides began from. */
  base: string;
  ours: string;
  theirs: string;
  /** How the sides are called in conflicts. */
  names: { ours: string; theirs: string };
}

/**
 * Merges in git's store alone: no checkout is touched, and nothing exists of a merge that does not succeed. The base is
 * ours to choose, so that one commit can be brought over without those before it: each side is put onto it as a commit
 * of its own, which no branch ever sees.
 */
export async function mergeTree(merge: ThreeWay, ground: Ground): Promise<Result<Merged>> {
  const { repository, world } = ground;
  const git = gitIn(world, repository.top);
  const sides: string[] = [];
  for (const side of [merge.ours, merge.theirs]) {
    const tree = await git(['rev-parse', `${side}^{tree}`]);
    if (!tree.ok) return tree;
    const made = await commitTree(
      { tree: tree.value.trim(), parents: [merge.base], message: 'A side of a merge' },
      repository.top,
      world,
    );
    if (!made.ok) return made;
    sides.push(made.value);
  }
  const [ours = '', theirs = ''] = sides;
  const merged = await git(['merge-tree', '--write-tree', '-z', '--no-messages', ours, theirs], {
    alsoGood: [1],
  });
  if (!merged.ok)
    return /usage: git merge-tree|unknown option/.test(merged.problem.message)
      ? failure('This git is too old to land work.', 'Install git 2.38 or newer.')
      : merged;
  const [tree = '', ...entries] = merged.value.split('\0');
  const paths = [
    ...new Set(
      entries.flatMap((entry) => (entry.includes('\t') ? [entry.slice(entry.indexOf('\t') + 1)] : [])),
    ),
  ];
  if (paths.length === 0) return ok({ clean: true, tree: tree.trim() });
  const conflicts: Conflict[] = [];
  for (const path of paths) {
    const text = await git(['cat-file', 'blob', `${tree.trim()}:${path}`]);
    const named = text.ok
      ? hunksIn(text.value).map((hunk) =>
          hunk.replaceAll(ours, merge.names.ours).replaceAll(theirs, merge.names.theirs),
        )
      : [];
    conflicts.push({ path, hunks: named });
  }
  return ok({ clean: false, conflicts });
}

const mostHunks = 20;
const longestHunk = 4000;

function hunksIn(text: string): string[] {
  const hunks: string[] = [];
  let open: string[] | undefined;
  for (const line of text.split('\n')) {
    if (line.startsWith('<<<<<<< ')) open = [];
    open?.push(line);
    if (!open || !line.startsWith('>>>>>>> ')) continue;
    hunks.push(open.join('\n').slice(0, longestHunk));
    open = undefined;
  }
  return hunks.slice(0, mostHunks);
}
