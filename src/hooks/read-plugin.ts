import { join, resolve } from 'node:path';
import { isRecord } from '../lib/fields/field-values.ts';
import { pluginFiles } from '../settings/definition-places.ts';
import { parseJson } from '../settings/json.ts';
import { readPlainFile } from '../settings/read-file.ts';
import { isWithin } from '../workspace/paths.ts';
import type { HookSource, ReadHooks } from './entry.ts';
import { readHooks } from './read-config.ts';

const maxFileSize = 1024 * 1024;

/**
 * A plugin's hooks: `hooks/hooks.json`, and those that its manifest names or contains. The plugin itself was named by
 * the user.
 */
export function readPluginHooks(plugin: string): ReadHooks {
  const all: ReadHooks = { entries: [], faults: [] };
  const add = ({ entries, faults }: ReadHooks) => {
    all.entries.push(...entries);
    all.faults.push(...faults);
  };
  const read = new Set<string>();
  const addFile = (file: string) => {
    if (read.has(file)) return;
    read.add(file);
    add(
      readFile(plugin, file, (json) =>
        readHooks(isRecord(json) ? json.hooks : json, buildSource(plugin, file)),
      ),
    );
  };
  addFile(join(plugin, 'hooks', 'hooks.json'));
  for (const file of pluginFiles(plugin))
    add(
      readFile(plugin, file, (json) => {
        const named = isRecord(json) ? json.hooks : undefined;
        for (const path of [named].flat()) if (typeof path === 'string') addNamed(path, file);
        return isRecord(named) ? readHooks(named.hooks ?? named, buildSource(plugin, file)) : nothing;
      }),
    );
  return all;

  function addNamed(path: string, manifest: string): void {
    const file = resolve(plugin, path);
    if (isWithin(file, plugin)) addFile(file);
    else all.faults.push({ file: manifest, field: 'hooks', reason: `${path} points outside the plugin` });
  }
}

const nothing: ReadHooks = { entries: [], faults: [] };

function buildSource(plugin: string, file: string): HookSource {
  return { kind: 'plugin', file, base: plugin, plugin };
}

function readFile(plugin: string, file: string, read: (json: unknown) => ReadHooks): ReadHooks {
  const refuse = (reason: string): ReadHooks => ({ entries: [], faults: [{ file, field: 'hooks', reason }] });
  const text = readPlainFile({ path: file, holds: 'hooks', largest: maxFileSize, root: plugin });
  if (!text.ok) return refuse(text.problem.message);
  if (text.value === undefined) return nothing;
  if (text.value.leadsTo !== undefined)
    return refuse(`it points outside the plugin, to ${text.value.leadsTo}`);
  const json = parseJson(text.value.text);
  if (!json.ok) return refuse(`line ${json.problem.line}: not valid JSON: expected ${json.problem.expected}`);
  return read(json.value);
}
