import { readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { type GitSetting, parseGitConfig } from '../workspace/parse-git-config.ts';

/** A setting, and where it was found. */
export interface FoundSetting extends GitSetting {
  /** The file, or the variable of the environment. */
  readonly source: string;
  /** The directory of that file; undefined for the environment. */
  readonly directory?: string;
}

/** The user's own side of git's configuration. */
export interface GitSurroundings {
  readonly userHome: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const maxIncludes = 10;
const maxFileBytes = 8 * 1024 * 1024;

/**
 * Reads git's configuration of every scope, without git: system, global, a repository's own and its worktree's, the
 * environment, and whatever these include. The condition of an `includeIf` is not evaluated: it may hold when the user
 * runs git. A file is parsed again only when it changed. A file that cannot be read to its end is a setting of its own,
 * `unread`, which may be any.
 */
export class GitScopes {
  readonly #parsed = new Map<string, { mark: string; settings: GitSetting[] }>();

  constructor(readonly around: GitSurroundings) {}

  /** The settings that apply to a repository; those of the user and the system alone where it has no directories. */
  read(gitDirectories: readonly string[]): FoundSetting[] {
    const own = gitDirectories.flatMap((path) => [join(path, 'config'), join(path, 'config.worktree')]);
    const seen = new Set<string>();
    const files = [...userFiles(this.around), ...own].flatMap((file) => this.#readFile(file, seen, 0));
    const named = variableSettings(this.around.environment);
    return [...files, ...named.flatMap((setting) => [setting, ...this.#followInclude(setting, seen, 0)])];
  }

  #readFile(file: string, seen: Set<string>, depth: number): FoundSetting[] {
    if (seen.has(file)) return [];
    // Git fails where it is led on and on.
    if (depth > maxIncludes) return [];
    seen.add(file);
    return this.#parse(file).flatMap((setting) => {
      const found = { ...setting, source: file, directory: dirname(file) };
      return [found, ...this.#followInclude(found, seen, depth)];
    });
  }

  #followInclude(setting: FoundSetting, seen: Set<string>, depth: number): FoundSetting[] {
    const included = includedFile(setting, this.around.userHome);
    return included === undefined ? [] : this.#readFile(included, seen, depth + 1);
  }

  #parse(file: string): GitSetting[] {
    if (file === '/dev/null') return [];
    try {
      const stat = statSync(file, { throwIfNoEntry: false });
      if (!stat || stat.isDirectory()) return [];
      if (!stat.isFile() || stat.size > maxFileBytes) return [unread];
      const mark = [stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs].join(' ');
      const known = this.#parsed.get(file);
      if (known?.mark === mark) return known.settings;
      const settings = parseGitConfig(readFileSync(file, 'utf8'));
      this.#parsed.set(file, { mark, settings });
      return settings;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ENOTDIR' ? [] : [unread];
    }
  }
}

const unread: GitSetting = { section: 'unread', subsection: '', name: '', value: '' };

/** Whether this stands for settings that nobody could read. */
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

function userFiles({ userHome, environment }: GitSurroundings): string[] {
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

const maxVariables = 100;

/** `GIT_CONFIG_COUNT` with its keys and values, and `GIT_CONFIG_PARAMETERS`. */
function variableSettings(environment: GitSurroundings['environment']): FoundSetting[] {
  const count = Math.min(Number(environment.GIT_CONFIG_COUNT ?? 0) || 0, maxVariables);
  const counted = Array.from({ length: count }, (_, index) =>
    settingOf(
      environment[`GIT_CONFIG_KEY_${index}`] ?? '',
      environment[`GIT_CONFIG_VALUE_${index}`] ?? '',
      `GIT_CONFIG_KEY_${index}`,
    ),
  );
  const quoted = (environment.GIT_CONFIG_PARAMETERS ?? '').replaceAll("'='", '=');
  const given = [...quoted.matchAll(/'([^'=]+)=([^']*)'/g)].map(([, key = '', value = '']) =>
    settingOf(key, value, 'GIT_CONFIG_PARAMETERS'),
  );
  return [...counted, ...given];
}

function settingOf(key: string, value: string, source: string): FoundSetting {
  const first = key.indexOf('.');
  const last = key.lastIndexOf('.');
  return {
    section: key.slice(0, Math.max(0, first)).toLowerCase(),
    subsection: first < last ? key.slice(first + 1, last) : '',
    name: key.slice(last + 1).toLowerCase(),
    ...{ value, source },
  };
}
