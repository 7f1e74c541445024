import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readQuietly } from './repository.ts';

/** Something that git was told to do in a checkout, and that has not come to its end. */
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

/** Looks at git's own data of a checkout. */
export function findUnfinished(own: string): Unfinished | undefined {
  const has = (name: string) => existsSync(join(own, name));
  if (has('rebase-merge')) return rebase;
  if (has('rebase-apply'))
    return has('rebase-apply/applying') ? { ...unfinished('am'), what: 'git am' } : rebase;
  // Of several that are picked, the one at which it stopped may be done and the others not.
  const todo = readQuietly(join(own, 'sequencer', 'todo'));
  if (has('REVERT_HEAD') || todo?.startsWith('revert')) return unfinished('revert');
  if (has('CHERRY_PICK_HEAD') || todo !== undefined) return unfinished('cherry-pick');
  if (has('MERGE_HEAD')) return merge;
  return has('BISECT_LOG') || has('BISECT_START') ? bisect : undefined;
}

/** `conflicts` are the files that are not resolved, named; undefined where they are not known. */
export function describeUnfinished(found: Unfinished, conflicts: string | undefined, where = ''): string {
  const { what, finish, giveUp } = found;
  if (found === bisect) return `${what} is half done${where}: ${finish} ends it`;
  if (found === merge && conflicts === '')
    return `${what} is resolved and not committed${where}: ${finish} commits it, ${giveUp} gives it up`;
  const met = conflicts ? `, with conflicts in ${conflicts}` : '';
  const once = conflicts ? 'once they are resolved and added ' : '';
  return `${what} is half done${where}${met}: ${once}${finish} ends it, ${giveUp} gives it up`;
}

function unfinished(command: string): Unfinished {
  return { what: `a ${command}`, finish: `git ${command} --continue`, giveUp: `git ${command} --abort` };
}
