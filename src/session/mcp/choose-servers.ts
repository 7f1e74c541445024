import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { AgentDefinition } from '../../agents/definition.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import { endSentence, visibleLine } from '../../lib/text/text.ts';
import type { ServerConfig } from '../../mcp/config.ts';
import type { FoundServers } from '../../mcp/find-servers.ts';
import type { LoadedSettings } from '../../settings/load.ts';
import { relativeParts } from '../../workspace/paths.ts';
import type { Kernel } from '../kernel.ts';
import type { SessionOptions } from '../options.ts';
import type { Surroundings } from '../surroundings.ts';

/** The MCP servers of a session, chosen and not yet started. */
export interface McpChoice {
  servers: ServerConfig[];
  /** Whether the pool has to be open from the start. */
  isWanted: boolean;
  notices: string[];
}

/** Finds the servers. A broken entry is left out and explained; only an unreadable flag prevents the start. */
export async function chooseServers(
  { options, place, settings, trust, environment }: Kernel,
  definitions: readonly AgentDefinition[],
): Promise<Result<McpChoice>> {
  if (!namesServers(options, place, settings, definitions)) return ok(none);
  const { findServers } = await import('../../mcp/find-servers.ts');
  const { cwd, root, home, userHome } = place;
  const found = findServers({
    ...{ cwd, root, home, userHome, trust },
    environment,
    sources: options.settingSources ?? ['user', 'project', 'local'],
    settings,
    ...(options.mcpConfig ? { flags: options.mcpConfig } : {}),
    ...(options.mcpServers ? { given: options.mcpServers } : {}),
    strict: options.strictMcpConfig === true,
    plugins: (options.pluginDirectories ?? []).map((path) => resolve(cwd, path)),
  });
  if (found.fatal !== undefined)
    return usage(`${found.fatal}.`, 'Pass a file or JSON: {"mcpServers": {"name": {"command": "…"}}}.');
  const servers = await withHostServers(found.servers, options);
  if (options.record !== undefined || options.replay !== undefined)
    return ok({ ...none, notices: servers.length > 0 ? [notOnTape] : [] });
  const hasOwn = definitions.some(({ mcpServers }) => mcpServers.some(({ config }) => config !== undefined));
  return ok({ servers, isWanted: servers.length > 0 || hasOwn, notices: describeFound(found) });
}

const none: McpChoice = { servers: [], isWanted: false, notices: [] };

const notOnTape = 'MCP servers are not started in recorded or replayed runs.';

/** Servers that a program passes in take precedence over those of files. */
async function withHostServers(
  found: readonly ServerConfig[],
  { hostServers }: SessionOptions,
): Promise<ServerConfig[]> {
  const { readHostServer } = await import('../../mcp/host-server.ts');
  const names = hostServers?.names ?? [];
  const own = names.map((name) => readHostServer(name, hostServers?.configs?.[name]));
  return [...own, ...found.filter(({ name }) => !names.includes(name))].sort((a, b) =>
    a.name < b.name ? -1 : 1,
  );
}

function describeFound({ problems, left }: FoundServers): string[] {
  const reasons = [...new Set(left.map(({ reason }) => reason))].filter(
    (reason) => reason !== 'it is disabled in the settings',
  );
  const leftOut = reasons.map((reason) => {
    const names = left.filter((one) => one.reason === reason).map(({ name }) => visibleLine(name, 60));
    return `Not started, because ${reason}: MCP server${names.length > 1 ? 's' : ''} ${names.join(', ')}.`;
  });
  return [...problems.map((problem) => endSentence(`MCP: ${visibleLine(problem, 500)}`)), ...leftOut];
}

/** Whether anything names an MCP server. Cheap, since nearly every start asks this and nothing else of MCP. */
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
  // Their content is checked when they are read, which happens anyway.
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
