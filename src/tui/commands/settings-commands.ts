import { readMemory } from '../../session/knowledge/knowledge.ts';
import type { SlashCommand } from './command.ts';
import { findSurroundings, settingsNow } from './places.ts';

export const memoryCommand: SlashCommand = {
  name: 'memory',
  description: 'memory files that the agent reads',
  async run(_, desk) {
    const settings = await settingsNow(desk);
    if (!settings.ok) return desk.warn(settings.problem.message);
    const { files } = await readMemory(findSurroundings(desk), settings.value);
    const text = files.map(({ path, text: content }) => `── ${path}\n${content.trimEnd()}\n`).join('\n');
    desk.page('Memory', text === '' ? 'No memory files (AGENTS.md, CLAUDE.md) here.' : text);
  },
};
