import { type Dirent, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { breather } from '../../lib/breathe.ts';
import { getErrorCode } from '../../lib/result.ts';
import { findGitDirectory } from '../../workspace/git/directory.ts';
import { type GitOptions, git } from '../../workspace/git/git.ts';
import { type IndexEntry, readIndex } from '../../workspace/git/git-index.ts';
import { goesUp } from '../../workspace/paths.ts';
import { findRoot } from '../../workspace/workspace.ts';
import { mayBeEntered, statEntry } from './entry.ts';
import { FileList, isOddName, type ListedFile } from './file-list.ts';
import { hasOddIgnoreFile, type IgnoreRules } from './ignore.ts';

/** The covered files under some directories: those that git tracks, and those it neither tracks nor ignores. */
export interface Listing {
  /** By absolute path. */
  files: Map<string, ListedFile>;
  /** More files than the limit: the rest is not in the list. */
  isCut: boolean;
  /** Repositories beyond their own limit: their files are not in the list. */
  leftOut: string[];
  /** Number of names that are not valid text and cannot be recorded. */
  oddNames: number;
  /** Repositories that git can no longer read: files they ignored are in the list. */
  broken: string[];
}

export interface ListingOptions {
  env: Record<string, string>;
  maxFiles: number;
  /** Where not all files fit: new ones come before changed ones. */
  prefersNew: boolean;
  /** Directories with their own undo, such as agents' worktrees. */
  isApart(path: string): boolean;
  /** Stops git; the list is then useless, and the reason is thrown. */
  signal: AbortSignal;
  /** Knows which directories were repositories, and their ignore rules. */
  ignore: Pick<IgnoreRules, 'isRepository' | 'listRules' | 'spellOut'>;
  /** Receives the reason why something could not be read. */
  miss(reason: string): void;
}

export type ListingPlace = Pick<ListingOptions, 'env' | 'signal' | 'ignore' | 'miss'>;

/** Nested repositories: each costs a run of git. */
export const maxRepositories = 20;
/** Outside a repository nothing says what is generated; these are. */
const generated = new Set(['node_modules', '.venv', 'venv', '__pycache__', 'target', '.cache']);

export async function listFiles(roots: readonly string[], options: ListingOptions): Promise<Listing> {
  const list = new FileList(options.maxFiles);
  const broken: string[] = [];
  const ahead = [...roots];
  const most = maxRepositories + roots.length;
  for (let at = 0; at < ahead.length && at < most; at++) {
    const root = ahead[at] ?? '';
    const nested = isRepository(root) ? await listRepository(root, list, options) : undefined;
    options.signal.throwIfAborted();
    if (nested === undefined && options.ignore.isRepository(root)) broken.push(root);
    for (const path of nested ?? (await walk(root, list, options)))
      if (!ahead.includes(path) && !options.isApart(path)) ahead.push(path);
  }
  const files = await list.finish(options.prefersNew);
  return { files, isCut: list.isCut, leftOut: ahead.slice(most), oddNames: list.oddNames, broken };
}

export function isGenerated(directory: string): boolean {
  return generated.has(basename(directory));
}

export function isRepository(path: string): boolean {
  return statEntry(join(path, '.git')) !== undefined;
}

/** Returns the repositories inside; undefined where git does not know this one. */
async function listRepository(
  root: string,
  list: FileList,
  options: ListingOptions,
): Promise<string[] | undefined> {
  const gitDirectory = findGitDirectory(root);
  if (gitDirectory === undefined) return undefined;
  const known = readTracked(join(gitDirectory, 'index'));
  const untracked = await listUntracked(root, gitDirectory, known ?? [], options);
  if (untracked === undefined) return undefined;
  const entries = known ?? (await trackedNames(root, gitDirectory, options));
  const nested: string[] = [];
  const breathe = breather();
  for (const entry of entries) {
    // Git itself writes no such names.
    if (goesUp(entry.name)) continue;
    const path = join(root, entry.name);
    if (entry.mode === 0o160000) nested.push(path);
    else list.addTracked(path, describe(root, entry), entry.seen);
    await breathe();
  }
  const isApart = rememberAnswers((directory) => directory !== root && options.isApart(directory));
  for (const name of untracked) {
    const path = join(root, name);
    if (name.endsWith('/')) nested.push(join(root, name.slice(0, -1)));
    else if (!isApart(dirname(path)) && !list.add(path, { root })) break;
  }
  return nested.filter(isRepository);
}

/** Without an index nothing is tracked yet; undefined where it cannot be read here. */
function readTracked(index: string): IndexEntry[] | undefined {
  return statEntry(index) === undefined && mayBeEntered(dirname(index)) ? [] : readIndex(index);
}

/** Most files share their directory with others. */
function rememberAnswers(ask: (directory: string) => boolean): (directory: string) => boolean {
  const known = new Map<string, boolean>();
  return (directory) => {
    const answer = known.get(directory) ?? ask(directory);
    known.set(directory, answer);
    return answer;
  };
}

function describe(root: string, { stage, id }: IndexEntry): ListedFile {
  // In conflict, or an unreadable index: no object is known to have the file's content.
  return stage !== 0 || id === '' ? { root } : { root, id };
}

async function listUntracked(
  root: string,
  gitDirectory: string,
  tracked: readonly IndexEntry[],
  place: ListingPlace,
): Promise<string[] | undefined> {
  const args = ['ls-files', '-z', '--others'];
  if (place.ignore.listRules(root) === undefined) {
    const directories = [...new Set([root, ...tracked.map(({ name }) => dirname(join(root, name)))])];
    if (!directories.some(hasOddIgnoreFile)) {
      const standard = [...args, '--exclude-standard'];
      const listed = await listNames(standard, root, gitDirectory, place, maxReadingMs);
      if (listed !== undefined || place.signal.aborted) return listed;
    }
    place.ignore.spellOut(root, directories);
  }
  const rules = place.ignore.listRules(root) ?? [];
  return await listNames([...args, ...excludeArguments(rules)], root, gitDirectory, place);
}

/** If git takes longer, it is not waiting for a disk. */
const maxReadingMs = 10_000;

/** Limit for all rules together: the system accepts no longer arguments. Rules beyond it are ignored. */
const maxRules = 64 * 1024;

/** Commands often install packages and ignore them: ignoring must not make these covered. */
function excludeArguments(rules: readonly string[]): string[] {
  const args: string[] = [];
  let size = 0;
  for (const rule of [...[...generated].map((name) => `${name}/`), ...rules]) {
    size += Buffer.byteLength(rule);
    if (size > maxRules) break;
    args.push(`--exclude=${rule}`);
  }
  return args;
}

/** For an index in a format that is not supported here: names alone. */
async function trackedNames(root: string, gitDirectory: string, place: ListingPlace): Promise<IndexEntry[]> {
  const names = await listNames(['ls-files', '-z'], root, gitDirectory, place);
  if (!names) place.miss(`git does not list the tracked files of ${root}`);
  return (names ?? []).map((name) => ({ name, id: '', mode: 0o100644, stage: 0 }));
}

/** The work tree is given, since the repository's own configuration could name another one. */
async function listNames(
  args: string[],
  root: string,
  gitDirectory: string,
  { env, signal }: ListingPlace,
  timeoutMs?: number,
): Promise<string[] | undefined> {
  const options: GitOptions = {
    cwd: root,
    env,
    signal,
    workTree: { gitDirectory, top: root },
    timeoutMs,
  };
  const listed = await git(args, options);
  return listed.ok ? listed.value.split('\0').filter((name) => name !== '') : undefined;
}

/** A directory that is in no repository, level by level. Returns the repositories inside. */
async function walk(root: string, list: FileList, options: ListingOptions): Promise<string[]> {
  const nested: string[] = [];
  const ahead = [root];
  const breathe = breather();
  for (let at = 0; at < ahead.length && !list.isCut; at++) {
    await breathe();
    options.signal.throwIfAborted();
    const directory = ahead[at] ?? '';
    if (directory !== root && isRepository(directory)) {
      nested.push(directory);
      continue;
    }
    for (const entry of listEntries(directory, options)) {
      const path = join(directory, entry.name);
      // Pipes, sockets and devices have no content to cover.
      if (entry.isFile() || entry.isSymbolicLink()) {
        if (!list.add(path, { root })) break;
      } else if (!entry.isDirectory()) continue;
      else if (entry.name !== '.git' && !generated.has(entry.name) && !options.isApart(path))
        ahead.push(path);
    }
  }
  return nested;
}

function listEntries(directory: string, { miss }: ListingPlace): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    if (getErrorCode(error) !== 'ENOENT' && mayBeEntered(directory)) miss(`${directory} cannot be read`);
    return [];
  }
}

/**
 * Directories without covered files that may get one later: they are neither ignored nor generated, and are not repositories
 * themselves.
 */
export async function findWatchable(
  directories: readonly string[],
  tops: ReadonlySet<string>,
  place: ListingPlace,
): Promise<string[]> {
  const plain = directories.filter((path) => !isGenerated(path) && !isRepository(path));
  return await findNotIgnored(plain, tops, place);
}

/** Of files those that are to be covered. */
export async function findCoverable(
  files: readonly string[],
  tops: ReadonlySet<string>,
  place: ListingPlace,
): Promise<string[]> {
  return await findNotIgnored(
    files.filter((path) => !isOddName(path)),
    tops,
    place,
  );
}

async function findNotIgnored(
  all: readonly string[],
  tops: ReadonlySet<string>,
  place: ListingPlace,
): Promise<string[]> {
  const byRoot = Map.groupBy(all, (path) => findRoot(dirname(path)) ?? '');
  const found: string[] = [];
  for (const [root, paths] of byRoot) {
    const gitDirectory = root === '' ? undefined : findGitDirectory(root);
    if (gitDirectory === undefined || !isBelowTop(root, tops)) found.push(...paths);
    else found.push(...(await notIgnored(paths, root, gitDirectory, place)));
  }
  return found;
}

function isBelowTop(root: string, tops: ReadonlySet<string>): boolean {
  return [...tops].some((top) => root === top || root.startsWith(`${top}/`));
}

async function notIgnored(
  paths: readonly string[],
  root: string,
  gitDirectory: string,
  place: ListingPlace,
): Promise<string[]> {
  const { env, signal } = place;
  const rules = place.ignore.listRules(root);
  if (rules !== undefined) {
    const args = ['ls-files', '-z', '--others', '--directory', ...excludeArguments(rules), '--', ...paths];
    const listed = await listNames(args, root, gitDirectory, place);
    signal.throwIfAborted();
    if (!listed) place.miss(`git does not list the ignored files of ${root}`);
    const found = new Set(listed?.map((name) => join(root, name)));
    return paths.filter((path) => found.has(path) || found.has(`${path}/`));
  }
  const input = paths.map((path) => `${path}\0`).join('');
  const workTree = { gitDirectory, top: root };
  const checked = await git(['check-ignore', '-z', '--stdin'], {
    cwd: root,
    env,
    signal,
    workTree,
    input,
    alsoGood: [1],
  });
  signal.throwIfAborted();
  if (!checked.ok) place.miss(`git does not list the ignored files of ${root}`);
  if (!checked.ok) return [];
  const ignored = new Set(checked.value.split('\0'));
  return paths.filter((path) => !ignored.has(path));
}
