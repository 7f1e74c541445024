import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readQuietly } from './repository.ts';

/** An unfinished git operation in a checkout. */
export interface Unfinished {
  what: string;
  finish: string;
  giveUp: string;
}

const rebase = unfinished('rebase');
const merge: Unfinished = {
  what: 'a merge',
  finish: 'git commit --no-edit',
  giveUp: 'git merge --abort',
};
const bisect: Unfinished = {
  what: 'a bisect',
  finish: 'git bisect reset',
  giveUp: 'git bisect reset',
};

/** Reads git's own data of a checkout. */
export function findUnfinished(own: string): Unfinished | undefined {
  const has = (name: string) => existsSync(join(own, name));
  if (has('rebase-merge')) return rebase;
  if (has('rebase-apply'))
    return has('rebase-apply/applying') ? { ...unfinished('am'), what: 'git am' } : rebase;
  // With several picked commits, the one at which it stopped may be done and the others not.
  const todo = readQuietly(join(own, 'sequencer', 'todo'));
  if (has('REVERT_HEAD') || todo?.startsWith('revert')) return unfinished('revert');
  if (has('CHERRY_PICK_HEAD') || todo !== undefined) return unfinished('cherry-pick');
  if (has('MERGE_HEAD')) return merge;
  return has('BISECT_LOG') || has('BISECT_START') ? bisect : undefined;
}

/**
 * The commit that git says is being picked or reverted, where nothing else of such an operation is there. Git removes this
 * name with a lock that commands in an agent's worktree cannot take: after a rebase in it the name of the last commit is left.
 */
export function findLoneHead(own: string): string | undefined {
  const has = (name: string) => existsSync(join(own, name));
  if (['rebase-merge', 'rebase-apply', 'sequencer', 'MERGE_HEAD', 'BISECT_LOG', 'BISECT_START'].some(has))
    return undefined;
  const [found, ...others] = ['CHERRY_PICK_HEAD', 'REVERT_HEAD'].filter(has);
  if (found === undefined || others.length > 0) return undefined;
  const commit = readQuietly(join(own, found))?.trim() ?? '';
  return /^[0-9a-f]{40,64}$/.test(commit) ? commit : undefined;
}

/** `conflicts` are the unresolved files, by name; undefined where they are unknown. */
export function describeUnfinished(found: Unfinished, conflicts: string | undefined, where = ''): string {
  const { what, finish, giveUp } = found;
  if (found === bisect) return `${what} is unfinished${where}: end it with ${finish}`;
  if (found === merge && conflicts === '')
    return `${what} is resolved and not committed${where}: commit it with ${finish} or cancel it with ${giveUp}`;
  const met = conflicts ? `, with conflicts in ${conflicts}` : '';
  const once = conflicts ? 'once they are resolved and added, ' : '';
  return `${what} is unfinished${where}${met}: ${once}finish it with ${finish} or cancel it with ${giveUp}`;
}

function unfinished(command: string): Unfinished {
  return { what: `a ${command}`, finish: `git ${command} --continue`, giveUp: `git ${command} --abort` };
}
