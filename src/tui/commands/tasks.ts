import { pickReview } from '../panels/press-review.ts';
import { tasksPanel } from '../panels/rows.ts';
import type { SlashCommand } from './command.ts';

export const tasksCommand: SlashCommand = {
  name: 'tasks',
  description: 'agents and background work: view, message, stop (ctrl-t)',
  run: (_, desk) => desk.open(tasksPanel(desk.app.state.view)),
};

export const worktreesCommand: SlashCommand = {
  name: 'worktrees',
  description: "review agents' work in worktrees: diff, land, drop, return",
  run: (_, desk) => pickReview(desk),
};
