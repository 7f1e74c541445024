import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { listNames } from '../../lib/files/list-names.ts';
import type { RealPath } from '../../lib/files/real-places.ts';
import { failure, ok, type Result } from '../../lib/result.ts';
import { copyHeld } from '../copy-held.ts';
import { readEverySetting } from '../git/every-setting.ts';
import { resolveRealPath } from '../real-path.ts';
import type { WorktreeRecord } from './record.ts';
import { lockReason } from './remove.ts';
import { bindGit, findAdministration, type WorktreeWorld } from './repository.ts';
import { settleFiltered } from './settle-filtered.ts';

/** The keys of git-crypt, which looks for them in the data of each checkout, where git puts none. */
const keys = join('git-crypt', 'keys');

const maxMs = 10 * 60_000;

/** Has git make a worktree, locked for this process. `at`: what git is told about its branch, path and commit. */
export async function addWorktree(
  record: WorktreeRecord,
  at: readonly string[],
  world: WorktreeWorld,
  cwd: string,
): Promise<Result<void>> {
  const made = await makeWorktree(record, at, world, cwd);
  if (made.ok && namesSetting(record.path, world, 'filter.')) await settleFiltered(record.path, world);
  return made;
}

async function makeWorktree(
  record: WorktreeRecord,
  at: readonly string[],
  world: WorktreeWorld,
  cwd: string,
): Promise<Result<void>> {
  const { common, path } = record;
  const isFilledLater = existsSync(join(common, keys)) || mayHaveOtherFilters(cwd, world);
  const later = isFilledLater ? ['--no-checkout'] : [];
  const flags = ['--quiet', '--lock', '--reason', lockReason(record), ...later];
  const added = await bindGit(world, cwd)(['worktree', 'add', ...flags, ...at], { timeoutMs: maxMs });
  if (!added.ok || !isFilledLater) return added.ok ? ok(undefined) : added;
  const copied = copyKeys(record);
  if (!copied.ok) return copied;
  const filled = await bindGit(world, path)(['reset', '--quiet', '--hard'], { timeoutMs: maxMs });
  return filled.ok ? ok(undefined) : filled;
}

/** Whether filters may be in effect in the new worktree that are not in the checkout: those are known once it is there. */
function mayHaveOtherFilters(cwd: string, world: WorktreeWorld): boolean {
  return namesSetting(cwd, world, 'includeif.') && namesSetting(cwd, world, 'filter.');
}

function namesSetting(cwd: string, { env }: WorktreeWorld, start: string): boolean {
  const every = readEverySetting({ cwd, env });
  return !every.ok || every.value.some(({ name }) => name.startsWith(start));
}

function copyKeys({ common, path }: WorktreeRecord): Result<void> {
  const own = findAdministration(common, path);
  if (own === undefined) return failure(`Git does not list ${path} although it just created it.`);
  const [from, to] = [join(resolveRealPath(common), keys), join(resolveRealPath(own), keys)];
  for (const name of listNames(from)) {
    const copied = copyHeld(join(from, name) as RealPath, join(to, name) as RealPath);
    if (!copied.ok) return failure(`${join(from, name)} was not copied: ${copied.problem}`);
  }
  return ok(undefined);
}
