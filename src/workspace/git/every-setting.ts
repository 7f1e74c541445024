import { dirname, pathBytes } from '../../lib/files/exact-paths.ts';
import { failure, ok, type Result } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { resolveRealPath } from '../real-path.ts';
import { findRoot } from '../workspace.ts';
import { ConfigFiles, type FoundSetting, isUnread } from './config-files.ts';
import { findCommonDirectory, findGitDirectory, listGitDirectories } from './directory.ts';
import type { ListedSetting } from './filters.ts';

export interface ConfiguredPlace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The data of the checkout, where it is not that around `cwd`. */
  readonly gitDirectory?: string | undefined;
}

/**
 * The settings of every file that git would read here under any condition: on another branch, in another worktree, with
 * another remote. Git itself lists only those whose conditions hold here and now, and an `includeIf` may name programs for
 * the worktree that it is about to make. In git's order, with one character per byte.
 */
export function readEverySetting(place: ConfiguredPlace): Result<ListedSetting[]> {
  const files = new ConfigFiles({ userHome: place.env.HOME || '/', environment: withoutGit(place.env) });
  const own = files.readOwn(findDirectories(place));
  const unknown = own.find((setting) => isUnread(setting) || isElsewhere(setting));
  if (unknown)
    return failure(
      `git in ${place.cwd}: the settings of the repository include a file that cannot be read (${visibleLine(unknown.source, 300)}), so its programs cannot be switched off.`,
      'Remove the include from the configuration of the repository.',
    );
  const users = files.readUsers().filter((setting) => !isUnread(setting));
  return ok([...users.map((one) => describe(one, false)), ...own.map((one) => describe(one, true))]);
}

/**
 * The settings of the user and the system alone, under any condition; undefined where a file cannot be read to its end. What git
 * reads is among them if its system file is one of those we know.
 */
export function readUserSettings({ env }: Pick<ConfiguredPlace, 'env'>): ListedSetting[] | undefined {
  const files = new ConfigFiles({ userHome: env.HOME || '/', environment: withoutGit(env) });
  const users = files.readUsers();
  const isWhole = !users.some((setting) => isUnread(setting) || isElsewhere(setting));
  return isWhole ? users.map((one) => describe(one, false)) : undefined;
}

/** Also those further up: git passes over a `.git` that it does not recognise. */
function findDirectories({ cwd, gitDirectory }: ConfiguredPlace): string[] {
  const found = gitDirectory === undefined ? listAround(resolveRealPath(cwd)) : [gitDirectory];
  return found.flatMap((own) => listGitDirectories({ own, shared: findCommonDirectory(own) }));
}

function listAround(directory: string): string[] {
  const root = findRoot(directory);
  if (root === undefined) return [];
  const own = findGitDirectory(root);
  const above = dirname(root);
  return [...(above === root ? [] : listAround(above)), ...(own === undefined ? [] : [own])];
}

/** Another user's home, or git's own directory: where that is, only git knows. */
function isElsewhere({ section, name, value }: FoundSetting): boolean {
  return /^include(?:if)?$/.test(section) && name === 'path' && /^(?:~[^/]|%\(|:\()/.test(value);
}

/** Our own git inherits none of them. */
function withoutGit(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('GIT_')));
}

function describe({ section, subsection, name, value }: FoundSetting, isOwn: boolean): ListedSetting {
  const key = subsection === '' ? `${section}.${name}` : `${section}.${subsection}.${name}`;
  return { name: asBytes(key), value: asBytes(value), isOwn };
}

function asBytes(text: string): string {
  return pathBytes(text).toString('latin1');
}
