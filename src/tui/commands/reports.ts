import type { SlashCommand } from './command.ts';

/** Commands that show what `cadre …` prints, word for word. */
export const reportCommands: readonly SlashCommand[] = [
  report('agents', 'the available agent types', ['agents']),
  report('hooks', 'hooks, and where they come from', ['hooks']),
  report('doctor', 'check the machine and the sandbox', ['doctor']),
];

function report(name: string, description: string, words: readonly string[]): SlashCommand {
  return {
    name,
    description,
    async run(_, desk) {
      desk.hint('Loading …');
      const text = await desk.world.report(words);
      desk.laterPage(`cadre ${words.join(' ')}`, text);
    },
  };
}
