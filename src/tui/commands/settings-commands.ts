import { readMemory } from '../../session/knowledge/knowledge.ts';
import { formatRule } from '../../settings/rules.ts';
import { modeLabel } from '../screen/status-line.ts';
import type { SlashCommand } from './command.ts';
import { findSurroundings, settingsNow } from './places.ts';

export const permissionsCommand: SlashCommand = {
  name: 'permissions',
  description: 'the mode, the active rules, and questions answered so far',
  async run(_, desk) {
    const { permissionMode, id } = desk.session.info();
    const settings = await settingsNow(desk);
    if (!settings.ok) return desk.warn(settings.problem.message);
    const lists = (['deny', 'ask', 'allow'] as const).flatMap((behaviour) => {
      const rules = settings.value.rules.filter((rule) => rule.behaviour === behaviour);
      if (rules.length === 0) return [];
      return [`${behaviour}:`, ...rules.map((rule) => `  ${formatRule(rule)}    ${rule.source}`), ''];
    });
    const audit = await desk.world.report(['audit', '--session', id]);
    desk.laterPage(
      'Permissions',
      [
        `Mode: ${permissionMode} (${modeLabel(permissionMode)}). shift-tab changes it.`,
        "cadre why 'Bash(git push)' explains how a call is decided.",
        '',
        ...(lists.length > 0 ? lists : ['No rules in settings files.', '']),
        'Asked and answered in this session:',
        audit,
      ].join('\n'),
    );
  },
};

export const configCommand: SlashCommand = {
  name: 'config',
  description: 'active settings, and where each comes from',
  async run(_, desk) {
    const settings = await settingsNow(desk);
    if (!settings.ok) return desk.warn(settings.problem.message);
    const { origin, files, held } = settings.value;
    const rows = [...origin].map(
      ([key, { layer, file }]) => `  ${key.padEnd(36)} ${layer.padEnd(8)} ${file}`,
    );
    desk.page(
      'Settings',
      [
        'Files, highest first:',
        ...(files.length > 0 ? files.map((file) => `  ${file}`) : ['  none']),
        '',
        'Values and where they come from:',
        ...(rows.length > 0 ? rows : ['  none: all settings have their defaults']),
        ...(held.length > 0 ? ['', 'Inactive until you trust this repository (cadre trust):'] : []),
        ...held.map(({ key, file }) => `  ${key.padEnd(36)} ${file}`),
      ].join('\n'),
    );
  },
};

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
