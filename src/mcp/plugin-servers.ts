import { join } from 'node:path';
import { isRecord } from '../lib/fields/field-values.ts';
import { pluginFiles } from '../settings/definition-places.ts';
import { parseJson } from '../settings/json.ts';
import { readPluginName } from '../settings/plugin-name.ts';
import { readPlainFile } from '../settings/read-file.ts';

export interface PluginServers {
  /** Its full name: `plugin:<plugin>:<server>`, so that no plugin takes another's name. */
  servers: { name: string; value: unknown; source: string }[];
  problems: string[];
}

const maxSize = 1024 * 1024;

/** The servers of a plugin: those of its manifest, which may name another file, then those of `.mcp.json`. */
export function readPluginServers(directory: string): PluginServers {
  const found: PluginServers = { servers: [], problems: [] };
  const plugin = readPluginName(directory);
  // Problems of the plugin itself are reported with its skills.
  if (!plugin.ok) return found;
  const take = (given: unknown, source: string) => {
    if (!isRecord(given))
      return void found.problems.push(`${source}: mcpServers: expected an object of servers`);
    for (const [server, value] of Object.entries(given)) {
      const name = `plugin:${plugin.value}:${server}`;
      if (!found.servers.some((one) => one.name === name)) found.servers.push({ name, value, source });
    }
  };
  const takeFile = (path: string) => {
    const json = readJson(path, found.problems);
    if (json !== undefined) take(isRecord(json) ? (json.mcpServers ?? json) : json, path);
  };
  for (const path of pluginFiles(directory)) {
    const manifest = readJson(path, found.problems);
    const given = isRecord(manifest) ? manifest.mcpServers : undefined;
    if (typeof given === 'string') takeFile(join(directory, given));
    else if (given !== undefined) take(given, path);
    if (manifest !== undefined) break;
  }
  takeFile(join(directory, '.mcp.json'));
  return found;
}

function readJson(path: string, problems: string[]): unknown {
  const read = readPlainFile({ path, holds: 'servers', largest: maxSize });
  if (!read.ok) problems.push(read.problem.message);
  if (!read.ok || !read.value) return undefined;
  const json = parseJson(read.value.text);
  if (json.ok) return json.value;
  problems.push(
    `${path}:${json.problem.line}:${json.problem.column}: not valid JSON: expected ${json.problem.expected}`,
  );
  return undefined;
}
