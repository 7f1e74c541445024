import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { codeOf, messageOf, ok, type Result, usage } from '../lib/result.ts';
import type { SettingsLayer } from '../protocol/permission.ts';

/** The layers that `--setting-sources` chooses from. Managed settings and flags always count. */
export type SettingSource = 'user' | 'project' | 'local';

export interface SettingsOptions {
  /** Our own state directory, `~/.cadre` unless moved. */
  home: string;
  userHome: string;
  cwd: string;
  /** The repository's root; `cwd` where there is no repository. */
  root: string;
  /** Of a work tree, the root of the main checkout: what people allow in one holds in all. */
  mainRoot?: string;
  sources: readonly SettingSource[];
  /** The value of `--settings`: a file, or JSON itself. */
  flagSettings?: string;
  /** Whether the user trusts what the repository says. */
  trusted: boolean;
  managedDirectories?: readonly string[];
}

export interface SettingsPlace {
  layer: SettingsLayer;
  /** The file, or the flag where the JSON stands in the flag itself. */
  file: string;
  /** Directory that paths in it are relative to. */
  base: string;
  /** Part of the repository, hence written by anybody. */
  fromRepository: boolean;
  text?: string;
  required?: boolean;
}

const largestFile = 1024 * 1024;

/** Every place that settings may come from, highest first; `.cadre` stands before `.claude`. */
export function settingsPlaces(options: SettingsOptions): SettingsPlace[] {
  const { home, userHome, cwd, root, sources } = options;
  const managed = options.managedDirectories ?? managedDirectories(process.platform);
  const user = [join(home, 'settings.json'), join(userHome, '.claude', 'settings.json')];
  const roots = [...new Set([root, options.mainRoot ?? root])];
  const local = roots.flatMap((top) =>
    ['.cadre', '.claude'].map((folder) => join(top, folder, 'settings.local.json')),
  );
  const project = ['.cadre', '.claude'].map((folder) => join(cwd, folder, 'settings.json'));
  const takesUser = sources.includes('user');
  // Started in the home directory, the user's own file is not the repository's.
  const isUsers = (file: string) => takesUser && user.includes(file);
  const repository = (layer: 'local' | 'project', files: string[], base: string) =>
    files
      .filter((file) => sources.includes(layer) && !isUsers(file))
      .map((file) => ({ layer, file, base, fromRepository: true }));
  return [
    ...managed.map((directory) => ({
      layer: 'managed' as const,
      file: join(directory, 'managed-settings.json'),
      base: '/',
      fromRepository: false,
    })),
    ...(options.flagSettings === undefined ? [] : [flagPlace(options.flagSettings, cwd)]),
    ...repository('local', local, root),
    ...repository('project', project, cwd),
    ...(takesUser ? user : []).map((file) => ({
      layer: 'user' as const,
      file,
      base: userHome,
      fromRepository: false,
    })),
  ];
}

export function managedDirectories(platform: string): string[] {
  return platform === 'darwin'
    ? ['/Library/Application Support/Cadre', '/Library/Application Support/ClaudeCode']
    : ['/etc/cadre', '/etc/claude-code'];
}

function flagPlace(value: string, cwd: string): SettingsPlace {
  const place = { layer: 'cli' as const, base: cwd, fromRepository: false, required: true };
  return value.trimStart().startsWith('{')
    ? { ...place, file: '--settings', text: value }
    : { ...place, file: resolve(cwd, value) };
}

/** The text of a place; undefined where there is no such file. Waits for nothing: only plain files are opened. */
export function readPlace(place: SettingsPlace): Result<string | undefined> {
  if (place.text !== undefined) return ok(place.text);
  try {
    const entry = statSync(place.file, { throwIfNoEntry: false });
    if (!entry) return missing(place);
    if (!entry.isFile()) return usage(`${place.file}: expected a settings file, found something else`);
    if (entry.size > largestFile)
      return usage(`${place.file}: ${entry.size} bytes; a settings file may have at most ${largestFile}`);
    return ok(readFileSync(place.file, 'utf8'));
  } catch (error) {
    // A file where a folder should be: no settings there, as if nothing were there.
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return missing(place);
    return usage(
      `${place.file}: settings cannot be read: ${messageOf(error)}`,
      'Make the file readable, or leave its layer out with --setting-sources.',
    );
  }
}

function missing(place: SettingsPlace): Result<undefined> {
  if (!place.required) return ok(undefined);
  return usage(
    `--settings ${place.file}: no such file`,
    'Give the path of a JSON file, or JSON itself, beginning with {.',
  );
}
