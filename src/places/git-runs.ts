import { statEntry } from '../lib/files/entry-at.ts';
import { join } from '../lib/files/exact-paths.ts';
import { isLossy } from '../lib/text/utf8.ts';
import { type FoundSetting, includedFile, isUnread, resolveGitPath } from '../workspace/git/config-files.ts';
import { findCommonDirectory, findGitDirectory, isGitDirectory } from '../workspace/git/directory.ts';
import { isHarmlessSetting } from '../workspace/git/own.data.ts';
import { isWithin } from '../workspace/paths.ts';
import { type CommandPlace, findCommandFiles, isDevice } from './command-files.ts';
import { openCommandLook } from './command-look.ts';
import type { GitScopes } from './git-scopes.ts';

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
  const readWords = scopes.readWords.bind(scopes);
  const place = { top, userHome, readWords, look: openCommandLook() };
  const runs = scopes.read(gitDirectories).flatMap((setting) => {
    const paths = listNamedPaths(setting, place).map((path) => (isUntold(path, top) ? top : path));
    return paths.map((path) => ({ path, setting: describeKey(setting), source: setting.source }));
  });
  const fromVariables = [...commandVariables, ...Object.keys(directoryVariables)].flatMap((name) =>
    pathsInVariable(name, environment[name] ?? '', place).map((path) => ({
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

function pathsInVariable(name: string, value: string, place: CommandPlace): string[] {
  const { top, userHome } = place;
  const find = directoryVariables[name];
  if (!find) return findCommandFiles(value, place);
  return value === '' ? [] : find(resolveGitPath(value, top, userHome), top);
}

function listNamedPaths(setting: FoundSetting, place: CommandPlace): string[] {
  const { top, userHome } = place;
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
  return findCommandFiles(inAddress(subsection, value), place);
}

/** A command in an address, or in one that others are rewritten to, has `% ` for a blank. */
function inAddress(subsection: string, value: string): string {
  const text = [subsection, value].find((one) => externalAddress.test(one));
  return text === undefined ? value : `${text.replaceAll('% ', ' ')} ${value}`;
}

const externalAddress = /\bext::/;

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
  if (externalAddress.test(`${subsection} ${value}`)) return false;
  if (section === 'alias') return lookingAliases.test(value);
  const key = joinKey(section, subsection, name);
  return onlyRead.test(key) || isHarmlessSetting(key);
}

/** Aliases for git commands whose words name no program. Words of others, such as `rebase -x` and `bisect run`, may. */
const lookingAliases =
  /^\s*(?:add|blame|branch|checkout|cherry-pick|commit|describe|diff|log|ls-files|ls-tree|merge|merge-base|reflog|remote|reset|restore|rev-list|rev-parse|shortlog|show|stash|status|switch|tag)(?:\s|$)/;

function describeKey({ section, subsection, name }: FoundSetting): string {
  if (section === 'unread' && name === '') return 'a setting that cannot be read';
  return joinKey(section, subsection, name);
}

function joinKey(section: string, subsection: string, name: string): string {
  return subsection === '' ? `${section}.${name}` : `${section}.${subsection}.${name}`;
}
