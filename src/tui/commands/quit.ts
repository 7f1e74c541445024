import type { SlashCommand } from './command.ts';

export const quitCommand: SlashCommand = {
  name: 'quit',
  description: 'leave; the session can be gone on with',
  run: (_, desk) => desk.leave(),
};
