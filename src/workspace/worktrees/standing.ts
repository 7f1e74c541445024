import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { formatError, ok, type Result, usage } from '../../lib/result.ts';
import { relativeParts } from '../paths.ts';
import { resolveRealPath } from '../real-path.ts';
import { locateStand, locateWorkspace, type WorktreeRecord } from './record.ts';
import type { Repository } from './repository.ts';

type Standing = Pick<WorktreeRecord, 'stands' | 'workspace'>;

/** The same places in a worktree as the caller has in its own checkout. */
export function findStanding(
  { cwd, root = cwd }: { cwd: string; root?: string },
  { top, main }: Pick<Repository, 'top' | 'main'>,
): Standing {
  const below = (path: string) => {
    const real = resolveRealPath(path);
    return (relativeParts(real, top) ?? relativeParts(real, main))?.join('/');
  };
  const workspace = below(root) || undefined;
  return { stands: below(cwd) || workspace, workspace };
}

/** A directory without a file that git keeps is not in a new worktree. A link in its place would lead out of it. */
export function makeStanding(record: WorktreeRecord): Result<void> {
  const top = resolveRealPath(record.path);
  try {
    for (const path of [locateWorkspace(record), locateStand(record)]) {
      const below = relativeParts(path, record.path) ?? [];
      if (resolveRealPath(path) !== join(top, ...below))
        return usage(`${path} is a link or below one, so it cannot be used.`);
      mkdirSync(path, { recursive: true });
    }
    return ok(undefined);
  } catch (error) {
    return usage(`${locateStand(record)} cannot be used: ${formatError(error)}`);
  }
}
