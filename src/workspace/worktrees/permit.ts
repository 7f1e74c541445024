import { ok, type Result } from '../../lib/result.ts';
import type { Content } from './content.ts';
import type { WorktreeRecord } from './record.ts';
import { bindGit, type WorktreeWorld } from './repository.ts';
import { nameFiles } from './words.ts';

/** Grounds for removing a worktree. */
export type RemovalPermit =
  /** No work was done in it. */
  | { kind: 'unchanged' }
  /** Its content at that time is now on a branch. */
  | { kind: 'landed'; content: Content; branch: string; commit: string }
  /** Its removal had begun, and nothing was added since. */
  | { kind: 'begun' }
  /** The user asked for it, or no agent can have worked in it. `shown`: its content when they were asked. */
  | { kind: 'told'; shown?: ShownContent };

export type ShownContent = Pick<Content, 'head' | 'tip' | 'tree'>;

/** The objection; none where everything in the worktree is provably elsewhere. */
export async function objection(
  permit: RemovalPermit,
  record: WorktreeRecord,
  now: Content,
  world: WorktreeWorld,
): Promise<Result<string | undefined>> {
  if (permit.kind === 'told')
    return ok(permit.shown && !isSame(permit.shown, now) ? 'something was added to it since' : undefined);
  if (now.obstacles.length > 0) return ok(now.obstacles[0]);
  switch (permit.kind) {
    case 'unchanged':
      return changedSince(record, now, world);
    case 'landed':
      return notLanded(permit, record, now, world);
    case 'begun':
      return cameSince(record, now, world);
  }
}

async function changedSince(
  { base, path }: WorktreeRecord,
  { head, tip, tree }: Content,
  world: WorktreeWorld,
): Promise<Result<string | undefined>> {
  if (head !== base || ![base, ''].includes(tip)) return ok('it holds commits');
  const before = await bindGit(world, path)(['rev-parse', `${base}^{tree}`]);
  if (!before.ok) return before;
  return ok(before.value.trim() === tree ? undefined : 'it holds changes');
}

async function notLanded(
  { content, branch, commit }: Extract<RemovalPermit, { kind: 'landed' }>,
  { main }: WorktreeRecord,
  now: Content,
  world: WorktreeWorld,
): Promise<Result<string | undefined>> {
  if (!isSame(content, now)) return ok('something was added to it in the meantime');
  const missing = await bindGit(world, main)(['rev-list', '--count', `refs/heads/${branch}..${commit}`]);
  if (!missing.ok) return missing;
  return ok(missing.value.trim() === '0' ? undefined : `${branch} does not have its work`);
}

async function cameSince(
  { proven, path }: WorktreeRecord,
  { head, tip, tree }: Content,
  world: WorktreeWorld,
): Promise<Result<string | undefined>> {
  if (!proven || head !== proven.head || tip !== proven.tip) return ok('it holds commits');
  const args = ['diff', '--name-only', '-z', '--no-renames', '--diff-filter=d', proven.tree, tree, '--'];
  const listed = await bindGit(world, path)(args);
  if (!listed.ok) return listed;
  const files = listed.value.split('\0').filter((name) => name !== '');
  return ok(files.length === 0 ? undefined : `something was added to it: ${nameFiles(files)}`);
}

function isSame(a: ShownContent, b: ShownContent): boolean {
  return a.head === b.head && a.tip === b.tip && a.tree === b.tree;
}
