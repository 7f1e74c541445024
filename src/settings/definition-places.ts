import { basename, dirname, join } from 'node:path';
import type { FileJudge } from '../workspace/file-judge.ts';
import { isWithin } from '../workspace/paths.ts';
import { managedDirectories } from './places.ts';

export interface DefinitionPlacesOptions {
  cwd: string;
  /** The repository's root; `cwd` if there is no repository. */
  root: string;
  /** Our own state directory, `~/.cadre` unless moved. */
  home: string;
  userHome: string;
  /** The layers of `--setting-sources`; managed settings always apply. */
  sources?: readonly string[] | undefined;
  managedDirectories?: readonly string[];
  /** `--add-dir`, absolute. */
  additionalDirectories?: readonly string[];
  /** `--plugin-dir`, absolute. */
  pluginDirectories?: readonly string[];
  /** Says why a file is not read for a model; without it, all are read. */
  judge?: FileJudge | undefined;
  /** Runs work that can wait until the session is idle; at once unless given. */
  later?(act: () => void): void;
}

export interface DefinitionPlace {
  source: DefinitionSource;
  /** A directory whose `.md` files, at any depth, are definitions. */
  directory: string;
  /** Links must stay within it: a repository's files do not lead out of it. */
  within?: string;
  /** The plugin's directory. */
  plugin?: string;
}

/** Where a file is, strongest first. */
export type DefinitionSource = 'managed' | 'project' | 'user' | 'plugin';

/** The folder, in `.cadre`, `.claude` and plugins, that holds files of one kind. */
export type DefinitionFolder = 'agents' | 'skills' | 'commands' | 'rules' | 'workflows' | 'sub-agents';

const folders = ['.cadre', '.claude'];

/** Every directory that may hold definitions, strongest first. */
export function definitionPlaces(
  kind: DefinitionFolder,
  options: DefinitionPlacesOptions,
): DefinitionPlace[] {
  const { cwd, root, home, userHome, sources = ['user', 'project'] } = options;
  const user = [join(home, kind), join(userHome, '.claude', kind)];
  const takesUser = sources.includes('user');
  const managed = options.managedDirectories ?? managedDirectories(process.platform);
  const inProject = (base: string, within: string): DefinitionPlace[] =>
    folders
      .map((folder) => join(base, folder, kind))
      // Started in the home directory, the user's own files are not a repository's.
      .filter((directory) => !takesUser || !user.includes(directory))
      .map((directory) => ({ source: 'project', directory, within }));
  const project = [
    ...directoriesUp(cwd, root).flatMap((base) => inProject(base, root)),
    ...(options.additionalDirectories ?? []).flatMap((base) => inProject(base, base)),
  ];
  return [
    ...managed.flatMap((base) =>
      [...folders.map((folder) => join(base, folder, kind)), join(base, kind)].map(
        (directory): DefinitionPlace => ({ source: 'managed', directory }),
      ),
    ),
    ...(sources.includes('project') ? project : []),
    ...(takesUser ? user : []).map((directory): DefinitionPlace => ({ source: 'user', directory })),
    ...(options.pluginDirectories ?? []).map(
      (plugin): DefinitionPlace => ({
        source: 'plugin',
        directory: join(plugin, kind),
        within: plugin,
        plugin,
      }),
    ),
  ];
}

function directoriesUp(cwd: string, root: string): string[] {
  if (!isWithin(cwd, root)) return [cwd];
  const directories = [cwd];
  for (let at = cwd; at !== root && dirname(at) !== at; at = dirname(at)) directories.push(dirname(at));
  return directories;
}

/** Where a plugin's manifest is. */
export function pluginFiles(directory: string): string[] {
  return ['.cadre-plugin', '.claude-plugin'].map((folder) => join(directory, folder, 'plugin.json'));
}

/** The part of a file's path that belongs to the name of a plugin's content: `plugin:sub:`. */
export function pluginPrefix(pluginName: string, folders: readonly string[]): string {
  return [pluginName, ...folders].map((part) => `${part.replaceAll(':', '-')}:`).join('');
}

export function baseName(file: string): string {
  return basename(file).replace(/\.md$/i, '');
}
