import { join } from 'node:path';
import { ok, type Result } from '../../lib/result.ts';
import { snapshotTree } from './changes.ts';
import { bindGit, type WorktreeWorld } from './repository.ts';

/** Why a file of the checkout is not brought; undefined if it is. */
export type RefuseFile = (path: string) => Promise<string | undefined>;

/**
 * A commit of the caller's uncommitted changes, as the base of a worktree. It is on no branch of the caller, whose index and
 * files stay as they are; and since it is the worktree's base, landing leaves it out.
 */
export async function carriedCommit(
  /** `whose`: in words, for the message of the commit. */
  { top, head, whose }: { top: string; head: string; whose: string },
  world: WorktreeWorld,
  refuses?: RefuseFile,
): Promise<Result<string>> {
  const closed = await listClosed(top, world, refuses);
  if (!closed.ok) return closed;
  const tree = await snapshotTree(top, world, closed.value);
  if (!tree.ok) return tree;
  const before = await bindGit(world, top)(['rev-parse', `${head}^{tree}`]);
  if (!before.ok) return before;
  if (before.value.trim() === tree.value) return ok(head);
  return commitTree(
    { tree: tree.value, parents: [head], message: `Uncommitted changes of ${whose}` },
    top,
    world,
  );
}

/** Changed files that agents may not read: in a commit, any program could read them. */
async function listClosed(
  top: string,
  world: WorktreeWorld,
  refuses: RefuseFile | undefined,
): Promise<Result<string[]>> {
  if (!refuses) return ok([]);
  const listed = await bindGit(
    world,
    top,
  )(['ls-files', '--others', '--modified', '--exclude-standard', '-z']);
  if (!listed.ok) return listed;
  const closed: string[] = [];
  for (const path of new Set(listed.value.split('\0')))
    if (path !== '' && (await refuses(join(top, path))) !== undefined) closed.push(path);
  return ok(closed);
}

export interface TreeCommit {
  tree: string;
  parents: readonly string[];
  message: string;
  /** `name <email>` and date, as git shows them; the committer's unless given. */
  author?: { name: string; email: string; date: string };
}

/** Also works where the user has not configured a name. */
export async function commitTree(
  { tree, parents, message, author }: TreeCommit,
  cwd: string,
  world: WorktreeWorld,
): Promise<Result<string>> {
  const known = await bindGit(world, cwd)(['var', 'GIT_COMMITTER_IDENT']);
  const nobody: Record<string, string> = known.ok
    ? {}
    : {
        ...{ GIT_COMMITTER_NAME: 'Cadre', GIT_COMMITTER_EMAIL: 'cadre@localhost' },
        ...{ GIT_AUTHOR_NAME: 'Cadre', GIT_AUTHOR_EMAIL: 'cadre@localhost' },
      };
  const wrote: Record<string, string> = author
    ? { GIT_AUTHOR_NAME: author.name, GIT_AUTHOR_EMAIL: author.email, GIT_AUTHOR_DATE: author.date }
    : {};
  const made = await bindGit({ ...world, env: { ...world.env, ...nobody, ...wrote } }, cwd)(
    ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent])],
    { input: message.endsWith('\n') ? message : `${message}\n` },
  );
  return made.ok ? ok(made.value.trim()) : made;
}
