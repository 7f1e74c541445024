import { join } from 'node:path';
import { ok, type Result } from '../lib/result.ts';
import { bindGit } from '../workspace/worktrees/repository.ts';
import { nameFile } from '../workspace/worktrees/words.ts';
import { readable } from './moving/byte-path.ts';
import { changesBetween } from './moving/changes.ts';
import type { Ground } from './types.ts';

/** A file that agents may not change where it would land. */
export interface DeniedChange {
  path: string;
  reason: string;
}

/** Finds files among those in which two commits differ that a deny rule closes in the checkout. */
export function openDenied({
  repository,
  world,
  findDenied,
}: Ground): (from: string, to: string) => Promise<Result<DeniedChange[]>> {
  const git = bindGit(world, repository.top);
  const tops = [...new Set([repository.main, repository.top])];
  return async (from, to) => {
    if (findDenied === undefined) return ok([]);
    const changes = await changesBetween(git, from, to);
    if (!changes.ok) return changes;
    const denied = changes.value.flatMap(({ path }) => {
      const name = readable(path);
      const reason = tops.map((top) => findDenied(join(top, name))).find((one) => one !== undefined);
      return reason === undefined ? [] : [{ path: name, reason }];
    });
    return ok(denied);
  };
}

export function explainDenied([first, ...others]: readonly DeniedChange[]): string {
  const more = others.length > 0 ? ` (and ${others.length} more such files)` : '';
  return `it changes ${nameFile(first?.path ?? '')}${more}, which agents may not change: ${first?.reason}. The user can review it and land it`;
}
