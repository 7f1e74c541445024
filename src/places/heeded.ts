import { lstatSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readBeginning, readBoundedText } from '../lib/files/read-bounded.ts';
import { getErrorCode } from '../lib/result.ts';
import { isLossy } from '../lib/text/utf8.ts';
import { mapTold, type Told } from '../lib/told.ts';
import { goesUp } from '../workspace/paths.ts';
import { resolveRealPath } from '../workspace/real-path.ts';
import { type Folder, lookThrough, openFolder } from './entries.ts';

/**
 * A file that rg, fd and similar programs open by themselves to learn what to skip. They print the lines of it that are not
 * patterns, so it has to be one that may be read.
 */
export interface Heeded {
  readonly path: string;
  /** A file with one name, not behind a link: it holds what its name says. */
  readonly isPlain: boolean;
}

/** Files that make such a program skip names, in every directory; `.git/info/exclude` is found separately. */
export const ignoreNames: readonly string[] = ['.gitignore', '.ignore', '.rgignore', '.fdignore'];

/** More entries are not read before a command. Only names are: with installed packages there are many. */
const maxEntries = 200_000;
const maxBytes = 1024 * 1024;

/** The heeded files below a directory, without its own, and the entries named `.git`, each of which may lead to one. */
export interface HeededBelow {
  readonly files: readonly Heeded[];
  readonly repositories: readonly string[];
}

export function lookHeededBelow(root: string): Told<HeededBelow> {
  const files: Heeded[] = [];
  const repositories: string[] = [];
  const looked = lookThrough<Folder>({ path: root }, maxEntries, (directory, entries) => {
    const inside: Folder[] = [];
    for (const entry of entries) {
      if (entry.isDirectory()) inside.push(openFolder(directory, entry));
      const name = entry.name.toLowerCase();
      if (name === '.git') repositories.push(directory.path);
      if (!ignoreNames.includes(name) || entry.isDirectory()) continue;
      const path = join(directory.path, entry.name);
      // The path of a name that is not text leads nowhere that may be read.
      files.push({ path, isPlain: !entry.place && entry.isFile() && hasOneName(path) });
    }
    return inside;
  });
  return mapTold(looked, () => ({ files, repositories }));
}

/** The heeded files in a directory and in all above it. `from`: where the program runs. */
export function lookHeededAbove(directory: string, from: readonly string[]): Heeded[] {
  return listAbove(directory).flatMap((each) => [
    ...ignoreNames.flatMap((name) => lookAtHeeded(each, name)),
    ...lookAtExclude(each, from),
  ]);
}

/** By its text and by where links lead: a program goes up from the real directory. */
export function listAbove(directory: string): string[] {
  const found = new Set<string>();
  for (const start of [directory, resolveRealPath(directory)])
    for (let at = start; !found.has(at); at = dirname(at)) found.add(at);
  return [...found];
}

/**
 * Git's own file of the repository in a directory. Where `.git` is a file, it names a directory, relative to where the program
 * runs, and that one may name another.
 */
export function lookAtExclude(directory: string, from: readonly string[]): Heeded[] {
  const git = `${directory}/.git`;
  if (!statName(git)) return [];
  const inner = readPath(git, /^gitdir: (.*)/);
  const stores = inner === undefined ? [git] : resolveFromEach(inner, [directory, ...from]);
  const commons = stores.flatMap((store) => {
    const common = readPath(`${store}/commondir`, /^(.*)/);
    return common === undefined ? [] : resolveFromEach(common, [store, ...from]);
  });
  return [
    ...(isDirectory(git) ? [] : lookAtHeeded(directory, '.git')),
    ...stores.flatMap((store) => lookAtHeeded(store, 'commondir')),
    ...[...stores, ...commons].flatMap((store) => lookAtHeeded(store, 'info/exclude')),
  ];
}

/**
 * The file that the user's configuration of git names with a relative path: git means another one, but these programs take it
 * from where they run.
 */
export function lookAtUserExcludes(environment: UserPlaces, from: readonly string[]): Heeded[] {
  const { excludes } = readUserPlaces(environment);
  const relative = excludes.filter((name) => name !== '' && !/^[/~]/.test(name));
  return relative.flatMap((name) =>
    from.flatMap((directory) => lookAtHeeded(dirname(`${directory}/${name}`), basename(name))),
  );
}

/** Where what the user always skips may be: `~/.config/git/ignore`, or what the user's configuration of git names. */
export function listUserExcludes(environment: UserPlaces): string[] {
  const { home, settings, excludes } = readUserPlaces(environment);
  const named = excludes.filter((name) => /^(?:~\/|\/)/.test(name));
  return [join(settings, 'git/ignore'), ...named.map((name) => name.replace(/^~/, home))];
}

type UserPlaces = Readonly<Record<string, string | undefined>>;

function readUserPlaces({ HOME, XDG_CONFIG_HOME }: UserPlaces) {
  const home = HOME || '/';
  const settings = XDG_CONFIG_HOME || join(home, '.config');
  const excludes = [join(home, '.gitconfig'), join(settings, 'git/config')].flatMap((file) =>
    [...(readBoundedText(file, maxBytes) ?? '').matchAll(excludesFile)].map(([, name = '']) => name),
  );
  return { home, settings, excludes };
}

const excludesFile = /^\s*excludesfile\s*=\s*"?\s*(\S+?)\s*"?\s*$/gim;

/** None where nothing can be opened. */
function lookAtHeeded(given: string, name: string): Heeded[] {
  const real = resolveRealPath(given);
  // The kernel follows links before it goes up.
  const path = `${goesUp(given) ? real : given}/${name}`;
  const stat = statName(path);
  if (!stat || (stat !== 'unknown' && !stat.isFile() && !stat.isSymbolicLink())) return [];
  const isFile = stat !== 'unknown' && stat.isFile() && stat.nlink === 1;
  return [{ path, isPlain: isFile && resolveRealPath(path) === join(real, name) }];
}

function hasOneName(path: string): boolean {
  const stat = statName(path);
  return stat !== undefined && stat !== 'unknown' && stat.nlink === 1 && !isLossy(path);
}

function statName(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    const isNowhere = /^(?:ENOENT|ENOTDIR|EACCES)$/.test(getErrorCode(error) ?? '');
    return isNowhere ? undefined : 'unknown';
  }
}

/** A path in the first line of a file; undefined where there is none. */
function readPath(file: string, form: RegExp): string | undefined {
  const read = readBeginning(file, maxLine);
  if (read.state !== 'read') return undefined;
  return form.exec(read.bytes.toString('utf8').split(/\r?\n/)[0] ?? '')?.[1];
}

const maxLine = 8192;

function resolveFromEach(path: string, bases: readonly string[]): string[] {
  return path.startsWith('/') ? [path] : [...new Set(bases.map((base) => `${base}/${path}`))];
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}
