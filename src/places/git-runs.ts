import { constants } from 'node:fs';
import { statEntry, statTarget } from '../lib/files/entry-at.ts';
import { accessSync } from '../lib/files/exact-files.ts';
import { basename, join, resolve } from '../lib/files/exact-paths.ts';
import { isLossy } from '../lib/text/utf8.ts';
import { findCommonDirectory, findGitDirectory, isGitDirectory } from '../workspace/git/directory.ts';
import { isHarmlessSetting } from '../workspace/git/own.data.ts';
import { isWithin } from '../workspace/paths.ts';
import { type FoundSetting, type GitScopes, includedFile, isUnread, resolveGitPath } from './git-scopes.ts';

/** A repository whose top is a given directory. */
export interface FoundRepository {
  /** The top of the work tree; a bare repository's own directory. */
  readonly top: string;
  /** Its own data, and what a worktree shares with the others. */
  readonly gitDirectories: readonly string[];
}

/** A path that git runs, or reads settings from, when the user calls it. */
export interface GitRun {
  readonly path: string;
  /** The setting that names it. */
  readonly setting: string;
  readonly source: string;
}

/** The repository whose work tree or bare directory this is, found by reading files alone. */
export function findRepository(directory: string): FoundRepository | undefined {
  const found = statEntry(join(directory, '.git'));
  const own = found ? findGitDirectory(directory) : isGitDirectory(directory) ? directory : undefined;
  if (own !== undefined) {
    const shared = findCommonDirectory(own);
    return { top: directory, gitDirectories: shared === own ? [own] : [own, shared] };
  }
  // A link without a target today may lead to a repository tomorrow.
  return found?.isSymbolicLink() ? { top: directory, gitDirectories: [join(directory, '.git')] } : undefined;
}

/**
 * Everything in git's configuration that names a program or more settings, of every scope: hooks, included files, attributes,
 * and each value that could be a command. Settings known to hold neither are left out; all others are included.
 */
export function findGitRuns({ top, gitDirectories }: FoundRepository, scopes: GitScopes): GitRun[] {
  const { userHome, environment } = scopes.around;
  const runs = scopes.read(gitDirectories).flatMap((setting) => {
    const paths = listNamedPaths(setting, top, userHome).map((path) => (isUntold(path, top) ? top : path));
    return paths.map((path) => ({ path, setting: describeKey(setting), source: setting.source }));
  });
  const fromVariables = [...commandVariables, ...Object.keys(directoryVariables)].flatMap((name) =>
    pathsInVariable(name, environment[name] ?? '', top, userHome).map((path) => ({
      path,
      setting: name,
      source: 'the environment',
    })),
  );
  const all = [...runs, ...fromVariables];
  return all.length <= maxRuns ? all : [{ path: top, setting: 'more than can be checked', source: 'git' }];
}

const maxRuns = 5000;

/** Not valid UTF-8, so a command can name it in more ways than we can compare: it may be any file of the work tree. */
function isUntold(path: string, top: string): boolean {
  return isLossy(path.startsWith(`${top}/`) ? path.slice(top.length) : path);
}

/** Variables whose values git and shells run, or read commands from. */
const commandVariables = [
  ...[
    'GIT_SSH_COMMAND',
    'GIT_SSH',
    'GIT_ASKPASS',
    'SSH_ASKPASS',
    'GIT_EDITOR',
    'GIT_SEQUENCE_EDITOR',
    'GIT_PAGER',
  ],
  ...['GIT_EXTERNAL_DIFF', 'GIT_PROXY_COMMAND', 'EDITOR', 'VISUAL', 'PAGER'],
  ...['BASH_ENV', 'ENV', 'PYTHONSTARTUP', 'LESSOPEN', 'LESSCLOSE', 'MANPAGER', 'BROWSER'],
];

/** Variables that name a directory. */
const directoryVariables: Readonly<Record<string, (directory: string, top: string) => string[]>> = {
  GIT_TEMPLATE_DIR: listTemplate,
  // Any `git-…` in it is a git command. One that holds the work tree can only be closed as a whole.
  GIT_EXEC_PATH: (directory, top) => [isWithin(top, directory) ? top : directory],
};

function pathsInVariable(name: string, value: string, top: string, userHome: string): string[] {
  const find = directoryVariables[name];
  if (!find) return filesInCommand(value, top, userHome);
  return value === '' ? [] : find(resolveGitPath(value, top, userHome), top);
}

function listNamedPaths(setting: FoundSetting, top: string, userHome: string): string[] {
  const { section, subsection, name, value } = setting;
  // It may name any file of the work tree.
  if (isUnread(setting)) return [top];
  const included = includedFile(setting, userHome);
  if (included !== undefined) return [included];
  if (section === 'core' && name === 'hookspath') return listHooks(resolveGitPath(value, top, userHome), top);
  if ((section === 'init' || section === 'clone') && name === 'templatedir')
    return value === '' ? [] : listTemplate(resolveGitPath(value, top, userHome), top);
  if (section === 'core' && name === 'attributesfile')
    return selectOutside([resolveGitPath(value, top, userHome)], top);
  if (isHarmless(section, subsection, name, value)) return [];
  return filesInCommand(value, top, userHome);
}

/** A hooks directory that also holds the work tree is not closed: only the hooks in it are. */
function listHooks(directory: string, top: string): string[] {
  if (isDevice(directory)) return [];
  return isWithin(top, directory) ? hookNames.map((name) => join(directory, name)) : [directory];
}

/** Every new repository gets a copy of a template, including its hooks and settings. */
function listTemplate(directory: string, top: string): string[] {
  if (isDevice(directory)) return [];
  return isWithin(top, directory) ? templateParts.map((name) => join(directory, name)) : [directory];
}

const templateParts = [
  'hooks',
  'config',
  'config.worktree',
  'info',
  'modules',
  'commondir',
  'remotes',
  'branches',
];

function isDevice(path: string): boolean {
  return path === '/dev/null';
}

function selectOutside(paths: readonly string[], top: string): string[] {
  return paths.filter((path) => !isWithin(top, path));
}

const hookNames = [
  ...['applypatch-msg', 'pre-applypatch', 'post-applypatch', 'pre-commit', 'pre-merge-commit', 'commit-msg'],
  ...[
    'prepare-commit-msg',
    'post-commit',
    'pre-rebase',
    'post-checkout',
    'post-merge',
    'pre-push',
    'pre-receive',
  ],
  ...['update', 'proc-receive', 'post-receive', 'post-update', 'reference-transaction', 'push-to-checkout'],
  ...[
    'pre-auto-gc',
    'post-rewrite',
    'sendemail-validate',
    'fsmonitor-watchman',
    'p4-changelist',
    'p4-pre-submit',
  ],
  ...['p4-prepare-changelist', 'p4-post-changelist', 'post-index-change'],
];

/** Settings that name files which git reads but does not run, besides those that name no file. */
const onlyRead =
  /^(?:log\..*|blame\..*|core\.excludesfile|commit\.template|gpg\.format|diff\.orderfile|mailmap\.file|merge\..*\.name)$/s;

function isHarmless(section: string, subsection: string, name: string, value: string): boolean {
  // `ext::` in an address is a command.
  if (/\bext::/.test(`${subsection} ${value}`)) return false;
  if (section === 'alias') return lookingAliases.test(value);
  const key = joinKey(section, subsection, name);
  return onlyRead.test(key) || isHarmlessSetting(key);
}

/** Aliases for git commands whose words name no program. Words of others, such as `rebase -x` and `bisect run`, may. */
const lookingAliases =
  /^\s*(?:add|blame|branch|checkout|cherry-pick|commit|describe|diff|log|ls-files|ls-tree|merge|merge-base|reflog|remote|reset|restore|rev-list|rev-parse|shortlog|show|stash|status|switch|tag)(?:\s|$)/;

/**
 * The files that a command could run, judging by its text. Every word with a slash is included, whether it exists or not; one
 * without a slash only where it names a script. A directory is included beside other words, one of which may be a program
 * that runs files in it; alone it cannot be run.
 */
function filesInCommand(command: string, top: string, userHome: string): string[] {
  if (command === '') return [];
  // It is too long to find the files it names.
  if (command.length > maxCommand) return [top];
  const plain = command.replace(/\$\{?\w+\}?/g, '');
  const quoted = [...command.matchAll(/"([^"]*)"|'([^']*)'/g)].map(
    ([, double, single]) => double ?? single ?? '',
  );
  const parts = plain.split(/[\s;|&()<>"'`!=]+/);
  // The value of an option may be part of its word.
  const values = parts.filter((word) => /^-\w./.test(word)).map((word) => word.slice(2));
  const words = [command, ...quoted, ...parts, ...values].filter((word) => word !== '');
  const paths = [...new Set(words)].flatMap((word) => {
    const path = resolveGitPath(word, top, userHome);
    // `$(git rev-parse --show-toplevel)/tools/x`: what is left of it is below the top.
    const below = word.startsWith('/') ? [resolve(top, word.slice(1))].filter(isFile) : [];
    const isNamed = word.includes('/') ? !/\s/.test(word) || isFile(path) : isScript(path);
    return [...(isNamed ? [path] : []), ...below];
  });
  const isAlone = !/\s/.test(command.trim());
  return selectOutside(paths, top).filter((path) => !(isAlone && isDirectory(path)) && !isDevice(path));
}

const maxCommand = 16 * 1024;

function isScript(path: string): boolean {
  if (!isFile(path)) return false;
  if (/\.(?:[cm]?[jt]s|sh|bash|zsh|fish|py|rb|pl|php|lua|ps1)$/i.test(basename(path))) return true;
  try {
    accessSync(path, constants.X_OK);
    return ((statTarget(path)?.mode ?? 0) & 0o111) !== 0;
  } catch {
    return false;
  }
}

function describeKey({ section, subsection, name }: FoundSetting): string {
  if (section === 'unread' && name === '') return 'a setting that cannot be read';
  return joinKey(section, subsection, name);
}

function joinKey(section: string, subsection: string, name: string): string {
  return subsection === '' ? `${section}.${name}` : `${section}.${subsection}.${name}`;
}

function isFile(path: string): boolean {
  return statTarget(path)?.isFile() === true;
}

function isDirectory(path: string): boolean {
  return statTarget(path)?.isDirectory() === true;
}
