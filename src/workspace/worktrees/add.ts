import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { failure, formatError, ok, type Result } from '../../lib/result.ts';
import type { WorktreeRecord } from './record.ts';
import { lockReason } from './remove.ts';
import { bindGit, findAdministration, type WorktreeWorld } from './repository.ts';

/** The keys of git-crypt, which looks for them in the data of each checkout, where git puts none. */
const keys = 'git-crypt';

const maxMs = 10 * 60_000;

/** Has git make a worktree, locked for this process. `at`: what git is told about its branch, path and commit. */
export async function addWorktree(
  record: WorktreeRecord,
  at: readonly string[],
  world: WorktreeWorld,
  cwd: string,
): Promise<Result<void>> {
  const { common, path } = record;
  const hasKeys = existsSync(join(common, keys, 'keys'));
  const flags = ['--quiet', '--lock', '--reason', lockReason(record), ...(hasKeys ? ['--no-checkout'] : [])];
  const added = await bindGit(world, cwd)(['worktree', 'add', ...flags, ...at], { timeoutMs: maxMs });
  if (!added.ok || !hasKeys) return added.ok ? ok(undefined) : added;
  const own = findAdministration(common, path);
  if (own === undefined) return failure(`Git does not know ${path} although it made it.`);
  try {
    cpSync(join(common, keys), join(own, keys), { recursive: true });
  } catch (error) {
    return failure(`The keys of git-crypt could not be copied for ${path}: ${formatError(error)}`);
  }
  const filled = await bindGit(world, path)(['reset', '--quiet', '--hard'], { timeoutMs: maxMs });
  return filled.ok ? ok(undefined) : filled;
}
