import { failure, ok, type Result } from '../lib/result.ts';
import { commitTree } from '../workspace/worktrees/carry.ts';
import { bindGit } from '../workspace/worktrees/repository.ts';
import type { Conflict, Ground } from './types.ts';

export type MergedTree =
  /** `ours`: the tree of our side alone, which the merge may have changed nothing of. */
  { clean: true; tree: string; ours: string } | { clean: false; conflicts: Conflict[] };

export interface ThreeWay {
  /** The common ancestor of both sides. */
  base: string;
  ours: string;
  theirs: string;
  /** The names of the sides in conflicts. */
  names: { ours: string; theirs: string };
}

/**
 * Merges in git's object store alone: no checkout is touched, and a failed merge leaves nothing behind. We choose the base,
 * so one commit can be brought over without those before it: each side is put onto it as a separate commit that no branch
 * ever sees.
 */
export async function mergeTree(merge: ThreeWay, ground: Ground): Promise<Result<MergedTree>> {
  const { repository, world } = ground;
  const git = bindGit(world, repository.top);
  const read = await git(['rev-parse', `${merge.ours}^{tree}`, `${merge.theirs}^{tree}`]);
  if (!read.ok) return read;
  const [before = '', wanted = ''] = read.value.trim().split('\n');
  // Nothing happened on our side.
  if (merge.ours === merge.base) return ok({ clean: true, tree: wanted, ours: before });
  const sides: string[] = [];
  for (const tree of [before, wanted]) {
    const side = { tree, parents: [merge.base], message: 'One side of a merge', isUnseen: true };
    const made = await commitTree(side, repository.top, world);
    if (!made.ok) return made;
    sides.push(made.value);
  }
  const [ours = '', theirs = ''] = sides;
  const merged = await git(['merge-tree', '--write-tree', '-z', '--messages', ours, theirs], {
    alsoGood: [1],
  });
  if (!merged.ok)
    return /usage: git merge-tree|unknown option/.test(merged.problem.message)
      ? failure('This git is too old to land work.', 'Install git 2.38 or newer.')
      : merged;
  const { tree, paths, notes } = readMerge(merged.value);
  if (paths.length === 0 && notes.length === 0) return ok({ clean: true, tree, ours: before });
  const named = (text: string) =>
    text.replaceAll(ours, merge.names.ours).replaceAll(theirs, merge.names.theirs);
  // When a file and a directory want the same name, git names the file after its side, here one of our commits.
  const known = (path: string) => path.replace(`~${ours}`, '').replace(`~${theirs}`, '');
  const conflicts = new Map<string, Conflict>();
  for (const path of [...paths, ...notes.flatMap((note) => (paths.length === 0 ? note.paths : []))]) {
    const text = await git(['cat-file', 'blob', `${tree}:${path}`]);
    const hunks = text.ok ? findConflictHunks(text.value).map(named) : [];
    const note = notes.find((one) => one.paths.includes(path))?.text;
    const said = hunks.length === 0 && note !== undefined ? { note: named(note) } : {};
    conflicts.set(known(path), { path: known(path), hunks, ...said });
  }
  return ok({ clean: false, conflicts: [...conflicts.values()] });
}

interface Note {
  paths: string[];
  text: string;
}

/**
 * The tree, the conflicting entries, and after an empty field git's messages: number of paths, the paths, a kind and the
 * text.
 */
function readMerge(output: string): { tree: string; paths: string[]; notes: Note[] } {
  const [tree = '', ...fields] = output.split('\0');
  const end = fields.indexOf('');
  const entries = end === -1 ? fields : fields.slice(0, end);
  const rest = end === -1 ? [] : fields.slice(end + 1);
  const notes: Note[] = [];
  for (let at = 0; at < rest.length; ) {
    const count = Number(rest[at]);
    const paths = rest.slice(at + 1, at + 1 + count);
    const [kind = '', text = ''] = rest.slice(at + 1 + count, at + 3 + count);
    if (kind.startsWith('CONFLICT'))
      notes.push({ paths, text: text.replace(/^CONFLICT \([^)]*\): /, '').trim() });
    at += 3 + count;
  }
  const paths = entries.map((entry) => entry.slice(entry.indexOf('\t') + 1));
  return { tree: tree.trim(), paths: [...new Set(paths)], notes };
}

const maxHunks = 20;
const maxHunkLength = 4000;

function findConflictHunks(text: string): string[] {
  const hunks: string[] = [];
  let open: string[] | undefined;
  for (const line of text.split('\n')) {
    if (line.startsWith('<<<<<<< ')) open = [];
    open?.push(line);
    if (!open || !line.startsWith('>>>>>>> ')) continue;
    hunks.push(open.join('\n').slice(0, maxHunkLength));
    open = undefined;
  }
  return hunks.slice(0, maxHunks);
}
