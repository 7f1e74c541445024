import { isDeepStrictEqual } from 'node:util';
import { failure, ok, type Result } from '../lib/result.ts';
import { diffstat } from '../workspace/worktrees/changes.ts';
import { bindGit } from '../workspace/worktrees/repository.ts';
import { withSealed } from './sealed-store.ts';
import type { Layer, Target } from './stack.ts';
import { listTouched, openTouched } from './touched.ts';
import type { Ground } from './types.ts';

/**
 * Looks once more at what would land, in a store that nobody can write to: what is shown is then what these commits hold, and
 * what lands later is read in the same way.
 */
export async function verifyLayers(
  layers: readonly Layer[],
  target: Target,
  ground: Ground,
): Promise<Result<void>> {
  const top = layers.at(-1);
  if (!top) return ok(undefined);
  return withSealed({ from: target.commit, to: top.commit }, ground, async (sealed) => {
    let from = target.commit;
    for (const layer of layers) {
      const stat = await diffstat(from, layer.commit, sealed.repository.top, sealed.world);
      if (!stat.ok) return stat;
      const touched = await findTouched(from, layer.commit, sealed);
      if (!touched.ok) return touched;
      if (!isDeepStrictEqual([stat.value, touched.value], [layer.stat, layer.protected]))
        return failure(
          `Objects of ${layer.candidate.name} in git’s store were changed while they were read. Nothing was landed.`,
          'Land again when no command runs in the repository.',
        );
      from = layer.commit;
    }
    return ok(undefined);
  });
}

/** Commit by commit. */
async function findTouched(from: string, to: string, sealed: Ground): Promise<Result<string[]>> {
  const git = bindGit(sealed.world, sealed.repository.top);
  const listed = await git(['rev-list', '--reverse', `${from}..${to}`]);
  if (!listed.ok) return listed;
  const find = openTouched(sealed);
  const touched = new Set<string>();
  let parent = from;
  for (const commit of listed.value.split('\n').filter((line) => line !== '')) {
    const found = await find(parent, commit);
    if (!found.ok) return found;
    for (const path of listTouched(found.value)) touched.add(path);
    parent = commit;
  }
  return ok([...touched].sort());
}
