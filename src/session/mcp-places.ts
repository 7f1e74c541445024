import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentDefinition } from '../agents/definition.ts';
import type { LoadedSettings } from '../settings/load.ts';
import { relativeParts } from '../workspace/paths.ts';
import type { SessionOptions } from './options.ts';
import type { Surroundings } from './surroundings.ts';

/** Whether anything names an MCP server. Cheap, since nearly every start asks it and nothing else of MCP. */
export function namesServers(
  options: SessionOptions,
  { root, cwd, home, userHome }: Surroundings,
  settings: LoadedSettings,
  definitions: readonly AgentDefinition[],
): boolean {
  const isGiven =
    (options.mcpConfig?.length ?? 0) > 0 ||
    Object.keys(options.mcpServers ?? {}).length > 0 ||
    (options.hostServers?.names.length ?? 0) > 0 ||
    definitions.some(({ mcpServers }) => mcpServers.some(({ config }) => config !== undefined));
  if (isGiven || options.strictMcpConfig) return isGiven;
  // What is in them is seen when they are read, which they are anyway.
  if (settings.mcpServers.length > 0 || (options.pluginDirectories?.length ?? 0) > 0) return true;
  const sources = options.settingSources ?? ['user', 'project', 'local'];
  const below = relativeParts(cwd, root) ?? [];
  const directories = [root, ...below.map((_, index) => join(root, ...below.slice(0, index + 1)))];
  const ofUser = sources.includes('user') || sources.includes('local');
  return (
    (ofUser && (existsSync(join(home, 'mcp.json')) || existsSync(join(userHome, '.claude.json')))) ||
    (sources.includes('project') && directories.some((directory) => existsSync(join(directory, '.mcp.json'))))
  );
}
