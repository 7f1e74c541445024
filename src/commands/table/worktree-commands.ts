import { json, yes } from './common-flags.ts';
import { text, toggle } from './flag.ts';
import { landHelp, requestHelp, returnHelp } from './help.ts';

/** Commands about agents' work in their own worktrees. Part of `commandTable`. */
export const worktreeCommands = {
  worktree: {
    about: "review, land or drop agents' work in their own worktrees",
    isGroup: true,
  },
  'worktree list': {
    about: 'list worktrees, their agents and the size of their changes',
    isDefault: true,
    flags: { json },
  },
  'worktree diff': {
    about: 'show the changes, at a terminal in colour and in your pager',
    takes: '[names...]',
    completes: ['worktree'],
    flags: { json, stat: toggle('only files and counts') },
  },
  'worktree forecast': {
    about: 'show which worktrees change the same files, and what would conflict',
    takes: '[names...]',
    completes: ['worktree'],
    flags: { json, onto: text('branch', 'compare with this branch instead of the checked-out one') },
  },
  'worktree land': {
    about: 'land the work on the checked-out branch, in this order',
    takes: '[names...]',
    completes: ['worktree'],
    alias: 'merge',
    help: landHelp,
    flags: {
      json,
      yes,
      onto: text('branch', 'land on this branch instead'),
      keep: toggle('keep the worktrees'),
      return: toggle('send conflicts and failed gates back to their agents'),
    },
  },
  'worktree return': {
    about:
      'send work back to its agent with a comment, or with the conflict or failed gate that keeps it from landing',
    takes: '<name> [comment...]',
    completes: ['worktree', undefined],
    help: returnHelp,
    flags: { json, onto: text('branch', 'as seen from this branch instead of the checked-out one') },
  },
  'worktree pr': {
    about: 'push the work and open a pull request with gh or glab',
    takes: '<name>',
    completes: ['worktree'],
    help: requestHelp,
    flags: {
      json,
      yes,
      onto: text('branch', 'for this branch of origin instead of the checked-out one'),
      title: text('text', "its title, if not the agent's task"),
      draft: toggle('as a draft'),
    },
  },
  'worktree drop': {
    about: 'delete worktrees and everything in them',
    takes: '<names...>',
    completes: ['worktree'],
    flags: { json, yes },
  },
} as const;
