import { join } from 'node:path';
import { ok, type Result } from '../../lib/result.ts';
import { snapshotTree } from './changes.ts';
import { describeLeftOut, type LeftOut, type RefuseFile } from './left-out.ts';
import { bindGit, type WorktreeWorld } from './repository.ts';

export interface CarriedCommit {
  commit: string;
  /** Notes about changed files that are not in it. */
  notes: string[];
}

/**
 * A commit of the caller's uncommitted changes, as the base of a worktree. It is on no branch of the caller, whose index and
 * files stay as they are; and since it is the worktree's base, landing leaves it out.
 */
export async function carriedCommit(
  /** `whose`: in words, for the message of the commit. */
  { top, head, whose }: { top: string; head: string; whose: string },
  world: WorktreeWorld,
  refuses?: RefuseFile,
): Promise<Result<CarriedCommit>> {
  const closed = await listClosed(top, world, refuses);
  if (!closed.ok) return closed;
  const paths = closed.value.map(({ path }) => path);
  const tree = await snapshotTree(top, world, paths);
  if (!tree.ok) return tree;
  const before = await bindGit(world, top)(['rev-parse', `${head}^{tree}`]);
  if (!before.ok) return before;
  const notes = describeLeftOut(`Uncommitted changes of ${whose}`, closed.value);
  if (before.value.trim() === tree.value) return ok({ commit: head, notes });
  const made = await commitTree(
    { tree: tree.value, parents: [head], message: `Uncommitted changes of ${whose}` },
    top,
    world,
  );
  return made.ok ? ok({ commit: made.value, notes }) : made;
}

/** Changed files that agents may not read: in a commit, any program could read them. */
async function listClosed(
  top: string,
  world: WorktreeWorld,
  refuses: RefuseFile | undefined,
): Promise<Result<LeftOut[]>> {
  if (!refuses) return ok([]);
  const listed = await bindGit(
    world,
    top,
  )(['ls-files', '--others', '--modified', '--exclude-standard', '-z']);
  if (!listed.ok) return listed;
  const closed: LeftOut[] = [];
  for (const path of new Set(listed.value.split('\0'))) {
    const reason = path === '' ? undefined : await refuses(join(top, path));
    if (reason !== undefined) closed.push({ path, reason });
  }
  return ok(closed);
}

export interface TreeCommit {
  tree: string;
  parents: readonly string[];
  message: string;
  /** `name <email>` and date, as git shows them; the committer's unless given. */
  author?: { name: string; email: string; date: string };
  /** No branch ever has it, so it does not matter who made it. */
  isUnseen?: boolean;
}

/** Also works where the user has not configured a name. */
export async function commitTree(
  { tree, parents, message, author, isUnseen = false }: TreeCommit,
  cwd: string,
  world: WorktreeWorld,
): Promise<Result<string>> {
  const isKnown = !isUnseen && (await bindGit(world, cwd)(['var', 'GIT_COMMITTER_IDENT'])).ok;
  const nobody: Record<string, string> = isKnown
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
