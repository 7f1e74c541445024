import { tasksPanel } from '../panels/rows.ts';
import type { SlashCommand } from './command.ts';

export const tasksCommand: SlashCommand = {
  name: 'tasks',
  description: 'agents and background work: view, message, stop (ctrl-t)',
  run: (_, desk) => desk.open(tasksPanel(desk.app.state.view)),
};
