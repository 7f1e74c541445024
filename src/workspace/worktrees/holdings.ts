import { type Diffstat, describeDiffstat, diffstat } from './changes.ts';
import { readWorktreeContent } from './content.ts';
import type { ShownContent } from './permit.ts';
import type { WorktreeRecord } from './record.ts';
import { bindGit, type WorktreeWorld } from './repository.ts';
import { findUsualStart } from './start.ts';
import { countCommits, nameFiles } from './words.ts';

/** Everything that would be removed with a worktree, for the user who decides. */
export interface Holdings {
  files: number;
  diffstat?: Diffstat;
  /** On its branch or checked out, beyond its base. */
  commits: number;
  /**
   * Things that are not visible in the files: unfinished merges, repositories, staged content; or that nothing can be read.
   */
  also: string[];
  /** Undefined where it cannot be read. */
  content?: ShownContent;
}

export async function countHoldings(record: WorktreeRecord, world: WorktreeWorld): Promise<Holdings> {
  const { base, branch, main, path } = record;
  const content = await readWorktreeContent(record, world);
  const heads = content.ok ? [content.value.head, content.value.tip] : [`refs/heads/${branch}`];
  const now = content.ok
    ? { tip: content.value.head, tree: content.value.tree }
    : { tip: `refs/heads/${branch}` };
  const start = await findUsualStart(record, now, world);
  const counted = await bindGit(
    world,
    main,
  )([...['rev-list', '--count', ...heads.filter((head) => head !== ''), '--not', base, start]]);
  const stat = content.ok ? await diffstat(start, content.value.tree, path, world) : content;
  return {
    files: stat.ok ? stat.value.files.length : 0,
    ...(stat.ok ? { diffstat: stat.value } : {}),
    commits: counted.ok ? Number(counted.value) : 0,
    also: content.ok ? content.value.obstacles : [content.problem.message],
    ...(content.ok ? { content: content.value } : {}),
  };
}

export function describeHoldings({ diffstat: stat, files, commits, also }: Holdings): string {
  const names = stat && files > 0 ? ` (${nameFiles(stat.files.map(({ path }) => path))})` : '';
  const changed = stat ? [describeDiffstat(stat) + names] : files > 0 ? [`${files} changed files`] : [];
  return [...changed, countCommits(commits), ...also].join('; ');
}
