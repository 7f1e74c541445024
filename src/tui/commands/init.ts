import { createEditor } from '../editor/index.ts';
import { prompt } from '../submit.ts';
import type { SlashCommand } from './command.ts';
import instructions from './init.md' with { type: 'text' };

export const initCommand: SlashCommand = {
  name: 'init',
  argument: '[what matters]',
  description: 'let the agent write AGENTS.md for this repository',
  run(args, desk) {
    const more = args === '' ? '' : `\n\nAlso: ${args}`;
    prompt(desk, createEditor(`${instructions.trim()}${more}`));
  },
};
