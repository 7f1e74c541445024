import { existsSync } from 'node:fs';
import { ok, type Result } from '../lib/result.ts';
import { withOwnDirectory } from '../workspace/own-directory.ts';
import { bindGit } from '../workspace/worktrees/repository.ts';
import { changesBetween } from './moving/changes.ts';
import { inTheWay, type Obstacles } from './moving/in-the-way.ts';
import type { Ground } from './types.ts';

const none: Obstacles = { uncommitted: [], foreign: [], unwritable: [] };

/**
 * The user's files in the way of some work in the checkout that would move. They are compared with `from`, which is what the
 * checkout has. `since`: only files that were changed from there on count.
 */
export async function findBlocking(
  { from, to, since = from }: { from: string; to: string; since?: string },
  top: string | undefined,
  { world }: Ground,
): Promise<Result<Obstacles>> {
  if (top === undefined || !existsSync(top)) return ok(none);
  const git = bindGit(world, top);
  const changes = await changesBetween(git, from, to);
  if (!changes.ok) return changes;
  const own = since === from ? changes : await changesBetween(git, since, to);
  if (!own.ok) return own;
  const paths = new Set(own.value.map(({ path }) => path));
  const concerned = changes.value.filter(({ path }) => paths.has(path));
  return withOwnDirectory(world.home, (scratch) => inTheWay(top, concerned, git, scratch));
}
