import { basename } from 'node:path';
import { fail, ok, type Result } from '../lib/result.ts';
import { readSmallText, statQuietly } from '../workspace/find-markdown.ts';
import { resolveRealPath } from '../workspace/real-path.ts';
import { pluginFiles } from './definition-places.ts';
import { parseJson } from './json.ts';

export const maxManifestSize = 64 * 1024;

/** A plugin's name from its manifest, or else the name of its directory. */
export function readPluginName(directory: string): Result<string, { file: string; reason: string }> {
  const entry = statQuietly(directory);
  if (!entry?.isDirectory())
    return fail({
      file: directory,
      reason: `${entry ? 'not a directory' : 'no such directory'}; expected the directory of a plugin`,
    });
  for (const file of pluginFiles(directory)) {
    if (!statQuietly(file)?.isFile()) continue;
    const text = readSmallText(resolveRealPath(file), maxManifestSize);
    if (!text.ok) return fail({ file, reason: text.problem });
    const json = parseJson(text.value);
    if (!json.ok)
      return fail({ file, reason: `line ${json.problem.line}: expected ${json.problem.expected}` });
    const name =
      typeof json.value === 'object' && json.value !== null ? Reflect.get(json.value, 'name') : undefined;
    if (typeof name !== 'string' || !/^[\w.-]{1,64}$/.test(name))
      return fail({ file, reason: 'name: expected at most 64 letters, digits, "-", "_" or "."' });
    return ok(name);
  }
  return ok(basename(directory));
}
