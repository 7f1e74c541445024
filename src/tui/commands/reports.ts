import type { SlashCommand } from './command.ts';

/** Shows what `cadre doctor` prints, word for word. */
export const doctorCommand = report('doctor', 'check the machine and the sandbox', ['doctor']);

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
