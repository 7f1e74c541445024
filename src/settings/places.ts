import { join, resolve } from 'node:path';
import { statEntry } from '../lib/files/entry-at.ts';
import { ok, type Result, usage } from '../lib/result.ts';
import type { SettingsLayer } from '../protocol/permission.ts';
import type { OtherTools } from './known-tools.ts';
import { type FileText, readPlainFile } from './read-file.ts';
import type { Trust } from './trust.ts';

/** The layers that `--setting-sources` chooses from. Managed settings and flags always apply. */
export type SettingSource = 'user' | 'project' | 'local';

export interface SettingsLookup {
  /** Our own state directory, `~/.cadre` unless moved. */
  home: string;
  userHome: string;
  cwd: string;
  /** The repository's root; `cwd` if there is no repository. */
  root: string;
  /** For a work tree, the root of the main checkout: permissions given in one apply in all. */
  mainRoot?: string;
  sources: readonly SettingSource[];
  /** The value of `--settings`: a file, or JSON itself. */
  flagSettings?: string;
  /** `--trust`: the repository's settings apply in this run. Otherwise those the user has trusted do. */
  trusted: boolean;
  /** Shared by every room of a session; by default the trust stored in `home`. */
  trust?: Trust;
  managedDirectories?: readonly string[];
  /** Tools of the program that opens the session, which rules may name. */
  otherTools?: OtherTools;
}

export interface SettingsPlace {
  layer: SettingsLayer;
  /** The file, or the flag if it contains the JSON itself. */
  file: string;
  /** Directory that paths in it are relative to. */
  base: string;
  /** The root of its repository, if different from the session's. */
  root?: string;
  /** Part of the repository, so its author is unknown. */
  fromRepository: boolean;
  text?: string;
  required?: boolean;
}

const maxFileSize = 1024 * 1024;

/** Every place that settings may come from, highest first; `.cadre` goes before `.claude`. */
export function settingsPlaces(options: SettingsLookup): SettingsPlace[] {
  const { home, userHome, cwd, root, sources } = options;
  const managed = options.managedDirectories ?? managedDirectories(process.platform);
  const user = [join(home, 'settings.json'), join(userHome, '.claude', 'settings.json')];
  const { mainRoot = root } = options;
  const listLocalFiles = (top: string) =>
    ['.cadre', '.claude'].map((folder) => join(top, folder, 'settings.local.json'));
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
    ...repository('local', listLocalFiles(root), root),
    ...(mainRoot === root
      ? []
      : repository('local', listLocalFiles(mainRoot), root).map((place) => ({ ...place, root: mainRoot }))),
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
  return value.trim() === '' || value.trimStart().startsWith('{')
    ? { ...place, file: '--settings', text: value }
    : { ...place, file: resolve(cwd, value) };
}

/** Undefined if there is no such file. */
export function readPlace(place: SettingsPlace, root: string): Result<FileText | undefined> {
  if (place.text?.trim() === '')
    return usage('--settings is empty.', 'Give the path of a JSON file, or JSON starting with {.');
  if (place.text !== undefined) return ok({ text: place.text });
  const read = readPlainFile({
    path: place.file,
    holds: 'settings',
    largest: maxFileSize,
    hint: `Make the file readable${otherwise(place)}.`,
    root: place.fromRepository ? root : undefined,
    isUsers: place.layer === 'user',
  });
  if (!read.ok) return place.required ? usage(`--settings ${read.problem.message}`, read.problem.hint) : read;
  if (read.value !== undefined) return read;
  return statEntry(place.file)?.isSymbolicLink() ? leadsNowhere(place) : missing(place);
}

/** The next step for an invalid place. */
export function howToCorrect(place: Pick<SettingsPlace, 'file'> & Partial<SettingsPlace>): string {
  return `Fix ${place.text === undefined ? 'the file' : 'the JSON'}${otherwise(place)}.`;
}

/** Managed settings and those of the flag cannot be left out. */
function otherwise({ layer }: Partial<SettingsPlace>): string {
  return layer === 'managed' || layer === 'cli' ? '' : ', or leave its layer out with --setting-sources';
}

/** It may hold restrictions, which nobody could tell from a file that is not there. */
function leadsNowhere(place: SettingsPlace): Result<never> {
  return usage(
    `${place.file}: expected a settings file, found a link whose target does not exist`,
    `Restore the target or remove the link${otherwise(place)}.`,
  );
}

function missing(place: SettingsPlace): Result<undefined> {
  if (!place.required) return ok(undefined);
  return usage(
    `--settings ${place.file}: no such file`,
    'Give the path of a JSON file, or JSON starting with {.',
  );
}
