import { join } from 'node:path';
import { bindGit, type WorktreeWorld } from '../workspace/worktrees/repository.ts';
import { isInitialised } from '../workspace/worktrees/unreported.ts';
import { readable } from './moving/byte-path.ts';
import { changesBetween, isSubmodule } from './moving/changes.ts';

/**
 * Submodules that landed at another commit than their copies in the checkout have, and new ones. One that the user never
 * initialised is not named. A landing is not undone because of them: those that cannot be read are left out.
 */
export async function findSubmodulesBehind(
  { top, from, to }: { top: string | undefined; from: string; to: string },
  world: WorktreeWorld,
): Promise<string[]> {
  if (top === undefined || from === to) return [];
  const changes = await changesBetween(bindGit(world, top), from, to);
  const behind: string[] = [];
  for (const { path, old, new: after } of changes.ok ? changes.value : []) {
    if (!after || !isSubmodule(after)) continue;
    const name = readable(path);
    const place = join(top, name);
    if (!isInitialised(place)) {
      if (!isSubmodule(old)) behind.push(name);
      continue;
    }
    const head = await bindGit(world, place)(['rev-parse', '--verify', '--quiet', 'HEAD']);
    if (head.ok && head.value.trim() !== after.blob) behind.push(name);
  }
  return behind;
}
