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

export const mcpCommand: SlashCommand = {
  name: 'mcp',
  description: 'MCP servers, their state and tools',
  run(_, desk) {
    const servers = desk.session.mcp().status();
    const text = servers
      .map(({ name, status, scope, error, tools, withheld }) =>
        [
          `${name}  ${status}  (${scope})${error === undefined ? '' : `\n  ${error}`}`,
          ...tools.map(
            (tool) =>
              `  ${tool.name}${tool.readOnly ? ' (read-only)' : ''}  ${tool.description.split('\n')[0]}`,
          ),
          ...(withheld ?? []).map((tool) => `  ${tool}  disabled: changed since you approved it`),
        ].join('\n'),
      )
      .join('\n\n');
    desk.page('MCP servers', text === '' ? 'None configured. Add one: cadre mcp add NAME -- COMMAND' : text);
  },
};
