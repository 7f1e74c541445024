import type { SlashCommand } from './command.ts';

export const quitCommand: SlashCommand = {
  name: 'quit',
  otherName: 'exit',
  description: 'quit; the session can be resumed',
  run: (_, desk) => desk.leave(),
};
