import { basename, join, resolve } from 'node:path';
import { isRecord } from '../lib/fields/field-values.ts';
import {
  type FindLimits,
  type FoundMarkdown,
  findMarkdown,
  readSmallText,
  statQuietly,
} from '../workspace/find-markdown.ts';
import { isWithin } from '../workspace/paths.ts';
import { resolveRealPath } from '../workspace/real-path.ts';
import { pluginFiles } from './definition-places.ts';
import { parseJson } from './json.ts';
import { maxManifestSize } from './plugin-name.ts';

export type PluginPart = 'agents' | 'skills' | 'commands';

/**
 * The files of one kind in a plugin: those in the folder of that name, then those that its manifest names beside it. Each
 * path that leads to nothing is a problem of the manifest.
 */
export function findPluginFiles(plugin: string, part: PluginPart, limits: FindLimits): FoundMarkdown {
  const usual = join(plugin, part);
  const found = findMarkdown(usual, plugin, limits);
  // Looked at as well, so that a change of theirs is noticed.
  found.directories.push(...pluginFiles(plugin));
  const manifest = readManifest(plugin);
  if (!manifest) return found;
  const add = (more: Partial<FoundMarkdown>) => {
    found.files.push(...(more.files ?? []));
    found.problems.push(...(more.problems ?? []));
    found.directories.push(...(more.directories ?? []));
    found.hasLinks ||= more.hasLinks ?? false;
  };
  for (const path of readPaths(manifest.content[part])) {
    const refuse = (reason: string) =>
      add({ problems: [{ file: manifest.file, reason: `${part}: ${reason}` }] });
    if (path !== undefined) found.directories.push(resolve(plugin, path));
    if (path === undefined) refuse('expected a path below the plugin, or a list of them');
    else if (!isWithin(resolve(plugin, path), plugin)) refuse(`${path} is outside the plugin`);
    else if (!statQuietly(resolve(plugin, path))) refuse(`${path} does not exist`);
    else if (!isWithin(resolve(plugin, path), usual)) add(findNamed(plugin, path, limits));
  }
  return found;
}

/** A folder of files, one file, or the folder of one skill. */
function findNamed(plugin: string, name: string, limits: FindLimits): Partial<FoundMarkdown> {
  const path = resolve(plugin, name);
  const file = statQuietly(path)?.isFile() ? path : undefined;
  const skill = limits.only && !file ? listSkillFile(path) : undefined;
  const only = file ?? skill;
  if (only === undefined) return findMarkdown(path, plugin, limits);
  const real = resolveRealPath(only);
  if (!isWithin(real, resolveRealPath(plugin)))
    return {
      problems: [{ file: only, reason: `skipped: a link that points outside ${plugin}, to ${real}` }],
    };
  const folders = limits.only ? [basename(join(only, '..'))] : [];
  return { files: [{ path: only, real, folders }], directories: [path], hasLinks: real !== only };
}

function listSkillFile(folder: string): string | undefined {
  return ['SKILL.md', 'skill.md']
    .map((name) => join(folder, name))
    .find((path) => statQuietly(path)?.isFile());
}

/** Undefined in the place of what is not a path. */
function readPaths(given: unknown): (string | undefined)[] {
  if (given === undefined || given === null) return [];
  return [given].flat().map((path) => (typeof path === 'string' && path.trim() !== '' ? path : undefined));
}

/** Its own faults are reported where its name is read. */
function readManifest(plugin: string): { file: string; content: Record<string, unknown> } | undefined {
  const file = pluginFiles(plugin).find((path) => statQuietly(path)?.isFile());
  const text = file === undefined ? undefined : readSmallText(resolveRealPath(file), maxManifestSize);
  const json = text?.ok ? parseJson(text.value) : undefined;
  return file !== undefined && json?.ok && isRecord(json.value) ? { file, content: json.value } : undefined;
}
