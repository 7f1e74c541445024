import type { LoadedSettings, McpSettings, ServerPattern } from './loaded.ts';
import type { SettingsPlace } from './places.ts';
import type { SettingsFileContent } from './schema.ts';

const single = ['startupWaitMs', 'timeoutMs', 'toolTimeoutMs'] as const;
const powers = ['mcp', 'mcpServers', 'enabledMcpjsonServers', 'enableAllProjectMcpServers'] as const;

/** What a layer says about MCP servers. To leave servers out only narrows, and counts from anybody. */
export function mergeMcp(
  loaded: LoadedSettings,
  place: SettingsPlace,
  content: SettingsFileContent,
  held: boolean,
): void {
  const { mcp } = loaded;
  mcp.disabled.push(...(content.disabledMcpjsonServers ?? []));
  mcp.denied.push(...((content.deniedMcpServers ?? []) as ServerPattern[]));
  // A repository that names what is allowed narrows as well, but it must not stand before the user's own list.
  if (!place.fromRepository && content.allowedMcpServers)
    mcp.allowed ??= content.allowedMcpServers as ServerPattern[];
  if (held) {
    const present = powers.filter((key) => content[key] !== undefined);
    loaded.held.push(...present.map((key) => ({ file: place.file, key, liftedBy: 'trust' as const })));
    return;
  }
  for (const key of single) takeSingle(mcp, key, content.mcp?.[key]);
  if (content.enabledMcpjsonServers && content.enableAllProjectMcpServers !== true)
    mcp.enabled ??= content.enabledMcpjsonServers;
  for (const [name, config] of Object.entries(content.mcpServers ?? {}))
    mcp.servers.push({ name, config, file: place.file, layer: place.layer });
}

function takeSingle(mcp: McpSettings, key: (typeof single)[number], value: number | undefined): void {
  if (value !== undefined) mcp[key] ??= value;
}
