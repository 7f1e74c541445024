import type { Command } from 'commander';
import type { WorktreeAction, WorktreeFlags } from './worktree.ts';

export type ManageWorktrees = (
  action: WorktreeAction,
  names: readonly string[],
  flags: WorktreeFlags,
) => Promise<number>;

/** `cadre worktree`, as data for commander. */
export function addWorktreeCommands(
  program: Command,
  manage: ManageWorktrees,
  finished: (code: number) => void,
): void {
  const worktree = program
    .command('worktree')
    .description('the work that agents did in worktrees of their own: look at it, land it, drop it');
  const add = (action: WorktreeAction, synopsis: string, description: string) =>
    worktree
      .command(synopsis, { isDefault: action === 'list' })
      .description(description)
      .option('--json', 'as JSON')
      .action(async (names: string[] | WorktreeFlags, flags: WorktreeFlags) =>
        finished(await (Array.isArray(names) ? manage(action, names, flags) : manage(action, [], names))),
      );
  add('list', 'list', 'show what there is, whose it is and how much is in it');
  add('diff', 'diff [names...]', 'show what they change').option('--stat', 'only files and counts');
  add('forecast', 'forecast [names...]', 'show who changes the same files, and what would conflict').option(
    '--onto <branch>',
    'against another branch than the one that is checked out',
  );
  add('land', 'land [names...]', 'bring them to the branch that is checked out, in this order')
    .alias('merge')
    .option('--yes', 'without a question')
    .option('--onto <branch>', 'to another branch')
    .option('--keep', 'leave the worktrees where they are')
    .addHelpText('after', landHelp);
  add('drop', 'drop <names...>', 'remove them with all that is in them').option(
    '--yes',
    'without a question',
  );
}

const landHelp = `
Each goes on top of those before it. What conflicts, or does not pass the command in
the setting worktree.gate, stays where it is; the rest lands, all in one step. Files
that you have changed and not committed are never touched. Work that changes protected
paths lands only at a terminal, where you are asked; --yes does not agree to it.
Exit code: 0 all landed, 1 not all, 2 wrong usage.
`;
