import { isAbsolute } from 'node:path';
import { formatStamp } from '../../lib/files/change-time.ts';
import { statEntry, statTarget } from '../../lib/files/entry-at.ts';
import { decodePath, dirname, join, resolve } from '../../lib/files/exact-paths.ts';
import { readBounded } from '../../lib/files/read-bounded.ts';
import { type GitSetting, parseGitConfig } from './parse-config.ts';

/** A setting, and where it was found. */
export interface FoundSetting extends GitSetting {
  /** The file, or the variable of the environment. */
  readonly source: string;
  /** The directory of that file; undefined for the environment. */
  readonly directory?: string;
}

/** Whose configuration git reads besides a repository's own. */
export interface GitUser {
  readonly userHome: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const maxIncludes = 10;
const maxFiles = 1000;
const maxFileBytes = 8 * 1024 * 1024;

/**
 * Reads git's configuration of every scope, without git: system, global, a repository's own and its worktree's, the
 * environment, and everything these include. The condition of an `includeIf` is not evaluated: it may hold when the user runs
 * git. A file is parsed again only when it changed. A file that cannot be read to its end becomes a special setting,
 * `unread`, which may mean anything.
 */
export class ConfigFiles {
  readonly #parsed = new Map<string, { mark: string; settings: GitSetting[] }>();

  constructor(private readonly user: GitUser) {}

  /** The settings that apply to a repository; only those of the user and the system where it has no directories. */
  read(gitDirectories: readonly string[]): FoundSetting[] {
    return [...this.readUsers(), ...this.readOwn(gitDirectories)];
  }

  /** Those of the user, the system and the environment. */
  readUsers(): FoundSetting[] {
    const seen = new Map<string, number>();
    const files = userFiles(this.user).flatMap((file) => this.#readFile(file, seen, 0));
    const named = variableSettings(this.user.environment);
    return [...files, ...named.flatMap((setting) => [setting, ...this.#followInclude(setting, seen, 0)])];
  }

  /** Whether the user trusts a checkout that belongs to somebody else. Git takes no word of the repository for it. */
  isSafe(root: string): boolean {
    const named = this.readUsers().filter(({ section, name }) => section === 'safe' && name === 'directory');
    // An empty value takes back those before it.
    const last = named.slice(named.findLastIndex(({ value }) => value === '') + 1);
    return last.some(({ value }) => value === '*' || value === root);
  }

  /** The user's files, whether they exist or not, and the system's that do; what they include is among their settings. */
  listUserFiles(): string[] {
    return userFiles(this.user).filter(
      (path) => !systemFiles.includes(path) || statEntry(path) !== undefined,
    );
  }

  /** Those of a repository. */
  readOwn(gitDirectories: readonly string[]): FoundSetting[] {
    const own = gitDirectories.flatMap((path) => [join(path, 'config'), join(path, 'config.worktree')]);
    const seen = new Map<string, number>();
    return own.flatMap((file) => this.#readFile(file, seen, 0));
  }

  /**
   * `seen` holds the depth at which a file was found: found again at a lower depth, more of its includes are within reach.
   */
  #readFile(file: string, seen: Map<string, number>, depth: number): FoundSetting[] {
    if ((seen.get(file) ?? Number.POSITIVE_INFINITY) <= depth) return [];
    // Git fails at too many nested includes.
    if (depth > maxIncludes) return [];
    if (seen.size >= maxFiles) return [{ ...unread, source: file }];
    seen.set(file, depth);
    return this.#parse(file).flatMap((setting) => {
      const found = { ...setting, source: file, directory: dirname(file) };
      return [found, ...this.#followInclude(found, seen, depth)];
    });
  }

  #followInclude(setting: FoundSetting, seen: Map<string, number>, depth: number): FoundSetting[] {
    const included = includedFile(setting, this.user.userHome);
    return included === undefined ? [] : this.#readFile(included, seen, depth + 1);
  }

  #parse(file: string): GitSetting[] {
    if (file === '/dev/null') return [];
    const stat = statTarget(file);
    if (stat?.isDirectory()) return [];
    const mark = stat && formatStamp(stat);
    const known = this.#parsed.get(file);
    if (mark !== undefined && known?.mark === mark) return known.settings;
    const read = readBounded(file, maxFileBytes);
    if (read.state !== 'read') return read.state === 'missing' ? [] : [unread];
    const settings = parseGitConfig(decodePath(read.bytes));
    if (mark !== undefined) this.#parsed.set(file, { mark, settings });
    return settings;
  }
}

const unread: GitSetting = { section: 'unread', subsection: '', name: '', value: '' };

/** Whether this represents settings that could not be read. */
export function isUnread({ section, name }: GitSetting): boolean {
  return section === unread.section && name === unread.name;
}

/** The file that `include.path` or `includeIf.….path` names. */
export function includedFile(
  { section, name, value, directory }: FoundSetting,
  userHome: string,
): string | undefined {
  if ((section !== 'include' && section !== 'includeif') || name !== 'path' || value === '') return undefined;
  return resolveGitPath(value, directory ?? '/', userHome);
}

/** A path in git's configuration: `~/x` is in the home, `~user/x` in that user's, the rest is relative to `base`. */
export function resolveGitPath(value: string, base: string, userHome: string): string {
  if (value === '~' || value.startsWith('~/')) return resolve(userHome, value.slice(2));
  if (value.startsWith('~')) return resolve(dirname(userHome), value.slice(1));
  return resolve(base, value);
}

function userFiles({ userHome, environment }: GitUser): string[] {
  const { GIT_CONFIG_SYSTEM: system, GIT_CONFIG_GLOBAL: global, XDG_CONFIG_HOME: xdg } = environment;
  const home = environment.HOME ?? userHome;
  const places = [...new Set([userHome, home])];
  return [
    ...(system ? [system] : systemFiles),
    ...(global ? [global] : []),
    ...(xdg && isAbsolute(xdg) ? [join(xdg, 'git', 'config')] : []),
    ...places.flatMap((place) => [join(place, '.config', 'git', 'config'), join(place, '.gitconfig')]),
  ];
}

/** Where builds of git look for the system's own. */
const systemFiles = [
  ...['/etc/gitconfig', '/usr/etc/gitconfig', '/usr/local/etc/gitconfig', '/opt/homebrew/etc/gitconfig'],
  '/Library/Developer/CommandLineTools/usr/share/git-core/gitconfig',
];

const maxVariables = 1000;

/** `GIT_CONFIG_COUNT` with its keys and values, and `GIT_CONFIG_PARAMETERS`. */
function variableSettings(environment: GitUser['environment']): FoundSetting[] {
  const count = Number(environment.GIT_CONFIG_COUNT ?? 0) || 0;
  if (count > maxVariables) return [{ ...unread, source: 'GIT_CONFIG_COUNT' }];
  const counted = Array.from({ length: Math.max(0, count) }, (_, index) =>
    parseSetting(
      environment[`GIT_CONFIG_KEY_${index}`] ?? '',
      environment[`GIT_CONFIG_VALUE_${index}`] ?? '',
      `GIT_CONFIG_KEY_${index}`,
    ),
  );
  return [...counted, ...parameterSettings(environment.GIT_CONFIG_PARAMETERS ?? '')];
}

/** As git quotes them: `'key'='value'`, or `'key=value'` in older versions. Where git would stop, they may be any. */
function parameterSettings(text: string): FoundSetting[] {
  const source = 'GIT_CONFIG_PARAMETERS';
  const settings: FoundSetting[] = [];
  const entry = new RegExp(`\\s*(${quoted})(?:(=)(${quoted})?)?(?=\\s|$)`, 'y');
  for (let at = 0; at < text.trimEnd().length; at = entry.lastIndex) {
    entry.lastIndex = at;
    const [, first, sign, second] = entry.exec(text) ?? [];
    if (first === undefined) return [...settings, { ...unread, source }];
    const plain = unquote(first);
    const cut = sign === undefined ? plain.indexOf('=') : -1;
    const key = cut < 0 ? plain : plain.slice(0, cut);
    settings.push(parseSetting(key, cut < 0 ? unquote(second ?? '') : plain.slice(cut + 1), source));
  }
  return settings;
}

/** In single quotes; a quote or an exclamation mark appears between two such strings, behind a backslash. */
const quoted = String.raw`'[^']*'(?:\\['!]'[^']*')*`;

function unquote(text: string): string {
  return text.slice(1, -1).replace(/'\\(['!])'/g, '$1');
}

function parseSetting(key: string, value: string, source: string): FoundSetting {
  const first = key.indexOf('.');
  const last = key.lastIndexOf('.');
  return {
    section: key.slice(0, Math.max(0, first)).toLowerCase(),
    subsection: first < last ? key.slice(first + 1, last) : '',
    name: key.slice(last + 1).toLowerCase(),
    ...{ value, source },
  };
}
