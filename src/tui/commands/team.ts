import { loadBoardFiles } from '../team-files.ts';
import type { SlashCommand } from './command.ts';

export const teamCommand: SlashCommand = {
  name: 'team',
  description: 'the team: members, who waits for whom, the mail between them',
  run(_, desk) {
    desk.open({ kind: 'team', selected: null, up: 0 });
  },
};

export const boardCommand: SlashCommand = {
  name: 'board',
  description: 'the items of the shared board: state, owner, what blocks them',
  run(_, desk) {
    loadBoardFiles(desk);
    desk.open({ kind: 'board', selected: null });
  },
};
