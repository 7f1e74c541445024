import type { SlashCommand } from './command.ts';

/** Commands that show what `cadre …` prints, word for word. */
export const reportCommands: readonly SlashCommand[] = [
  report('agents', 'the types of agents there are', ['agents']),
  report('hooks', 'hooks, and where they come from', ['hooks']),
  report('worktrees', 'worktrees and what waits to be landed', ['worktree', 'list']),
  report('doctor', 'what protects you, and what is missing', ['doctor']),
];

function report(name: string, description: string, words: readonly string[]): SlashCommand {
  return {
    name,
    description,
    async run(_, desk) {
      desk.hint('One moment …');
      const text = await desk.world.report(words);
      desk.laterPage(`cadre ${words.join(' ')}`, text);
    },
  };
}
