import { dirname, isAbsolute, join, relative } from 'node:path';
import { readBoundedText } from '../../lib/files/read-bounded.ts';
import { findGitDirectory } from '../../workspace/git/directory.ts';
import { git } from '../../workspace/git/git.ts';
import { statEntry } from './entry.ts';
import type { IgnoreNote, KnownRules } from './journal.ts';
import type { Author } from './windows.ts';

type GitPlace = { env: Record<string, string>; signal: AbortSignal };

const maxBytes = 256 * 1024;

/**
 * The rules by which files are ignored, and so not covered. A command could hide its own or later work by ignoring
 * it: rules that commands made or changed do not count.
 */
export class IgnoreRules {
  readonly #rules = new Map<string, KnownRules>();
  /** The files whose patterns count from the top. Lowest priority first: later files override earlier ones. */
  readonly #repositories = new Map<string, string[]>();
  readonly #spelledOut = new Set<string>();
  #isWritten = true;

  /**
   * From here on git is given the rules of a repository, and reads none of their files itself. Git would wait forever for a
   * named pipe in the place of such a file.
   */
  spellOut(root: string, directories: Iterable<string>): void {
    this.#spelledOut.add(root);
    this.#isWritten = false;
    for (const directory of directories) this.#take(ignoreFile(directory), directory);
  }

  /** What an earlier process knew: a command may have changed the files since. */
  takeLeft({ files, repositories, spelledOut }: IgnoreNote): void {
    for (const [path, rules] of files) this.#rules.set(path, rules);
    for (const [root, shared] of repositories) this.#repositories.set(root, shared);
    for (const root of spelledOut) this.#spelledOut.add(root);
    this.#isWritten = false;
  }

  /** All that is known, where the journal does not say it yet. */
  takeUnwritten(): IgnoreNote | undefined {
    if (this.#isWritten) return undefined;
    this.#isWritten = true;
    return {
      files: [...this.#rules],
      repositories: [...this.#repositories],
      spelledOut: [...this.#spelledOut],
    };
  }

  /** A repository that a command made: what it ignores does not count either. */
  holdRepository(root: string): void {
    if (this.#repositories.has(root)) return;
    this.#repositories.set(root, []);
    this.#spelledOut.add(root);
    this.#isWritten = false;
  }

  isRepository(root: string): boolean {
    return this.#repositories.has(root);
  }

  /** Reads the current rules where none are known. */
  async learn(repositories: Iterable<string>, directories: Iterable<string>, place: GitPlace): Promise<void> {
    for (const root of repositories) {
      const gitDirectory = findGitDirectory(root);
      if (gitDirectory === undefined || this.#repositories.has(root)) continue;
      const shared = [await findUserRules(root, place), join(gitDirectory, 'info', 'exclude')];
      const paths = shared.filter((path) => path !== undefined);
      this.#repositories.set(root, paths);
      this.#isWritten = false;
      for (const path of paths) this.#take(path);
    }
    for (const directory of directories) {
      const path = ignoreFile(directory);
      if (!this.#rules.has(path)) this.#take(path, directory);
    }
  }

  /** Checks the known rules, and those in directories that are new or hold new names. */
  refresh(directories: Iterable<string>, findAuthor: (time: number) => Author): void {
    for (const [path, rules] of this.#rules) this.#compare(path, rules, findAuthor);
    for (const directory of directories) {
      const path = ignoreFile(directory);
      if (this.#rules.has(path)) continue;
      const stat = statEntry(path);
      if (!stat) continue;
      const isHeld = mayBeByCommand(findAuthor(stat.ctimeMs));
      if (isHeld) this.#set(path, { directory, text: '', mark: readMark(path), isHeld });
      else this.#take(path, directory);
    }
  }

  /** All rules of a repository as one list for git, where it must not read the files itself; undefined elsewhere. */
  listRules(root: string): string[] | undefined {
    const within = [...this.#rules].filter(([path, { directory }]) =>
      directory === undefined
        ? this.#repositories.get(root)?.includes(path)
        : directory === root || directory.startsWith(`${root}/`),
    );
    if (!this.#spelledOut.has(root) && !within.some(([, { isHeld }]) => isHeld)) return undefined;
    const shared = within.filter(([, { directory }]) => directory === undefined);
    const own = within
      .filter(([, { directory }]) => directory !== undefined)
      .toSorted(([a], [b]) => a.length - b.length);
    const order = this.#repositories.get(root) ?? [];
    const sorted = shared.toSorted(([a], [b]) => order.indexOf(a) - order.indexOf(b));
    return [...sorted, ...own].flatMap(([, { text, directory = root }]) =>
      anchorAll(text, relative(root, directory)),
    );
  }

  #compare(path: string, rules: KnownRules, findAuthor: (time: number) => Author): void {
    const mark = readMark(path);
    if (mark === rules.mark) return;
    const time = statEntry(path)?.ctimeMs ?? statEntry(dirname(path))?.ctimeMs ?? 0;
    if (mayBeByCommand(findAuthor(time))) this.#set(path, { ...rules, mark, isHeld: true });
    else this.#take(path, rules.directory);
  }

  #take(path: string, directory?: string): void {
    const text = readRules(path);
    if (text === undefined && directory !== undefined) this.#set(path, undefined);
    else this.#set(path, { directory, text: text ?? '', mark: readMark(path), isHeld: false });
  }

  #set(path: string, rules: KnownRules | undefined): void {
    if (rules) this.#rules.set(path, rules);
    else if (!this.#rules.delete(path)) return;
    this.#isWritten = false;
  }
}

/** Also where it is unknown, as beside a background command: then more is covered than necessary. */
export function mayBeByCommand({ by }: Author): boolean {
  return by !== 'before';
}

/** Every pattern of a file, rewritten relative to the top of the repository. */
export function anchorAll(text: string, directory: string): string[] {
  return text
    .split('\n')
    .map((line) => line.replace(/\r$/, '').replace(/(?<!\\)[ ]+$/, ''))
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => (directory === '' ? line : anchor(line, directory)));
}

function anchor(line: string, directory: string): string {
  const [, not = '', pattern = ''] = /^(!?)(.*)$/s.exec(line) ?? [];
  const place = directory.replace(/[\\*?[\] ]/g, '\\$&');
  const isAnchored = /\/./.test(pattern);
  return `${not}/${place}/${isAnchored ? pattern.replace(/^\//, '') : `**/${pattern}`}`;
}

function ignoreFile(directory: string): string {
  return join(directory, '.gitignore');
}

/** Something other than a file of rules or a link, which git does not follow: git could wait for it forever. */
export function hasOddIgnoreFile(directory: string): boolean {
  const stat = statEntry(ignoreFile(directory));
  return stat !== undefined && !stat.isFile() && !stat.isSymbolicLink() && !stat.isDirectory();
}

function readMark(path: string): string {
  const stat = statEntry(path);
  return stat ? `${stat.ino} ${stat.size} ${stat.ctimeMs}` : '';
}

/** Git follows no link here, and users do not write larger files. */
function readRules(path: string): string | undefined {
  return readBoundedText(path, maxBytes, { refusesLinks: true });
}

async function findUserRules(root: string, { env, signal }: GitPlace): Promise<string | undefined> {
  const args = ['config', '--type=path', '--get', 'core.excludesFile'];
  const named = await git(args, { cwd: root, env, signal, alsoGood: [1] });
  const path = named.ok ? named.value.replace(/\n$/, '') : '';
  if (path !== '') return isAbsolute(path) ? path : join(root, path);
  const { XDG_CONFIG_HOME: config, HOME: home } = env;
  if (config) return join(config, 'git', 'ignore');
  return home ? join(home, '.config', 'git', 'ignore') : undefined;
}
