import { statTarget } from '../../lib/files/entry-at.ts';
import { dirname, resolve } from '../../lib/files/exact-paths.ts';
import { resolveRealPath } from '../real-path.ts';
import { findCommonDirectory, findGitDirectory, isGitDirectory, readPointer } from './directory.ts';
import type { GitSetting } from './parse-config.ts';

/** A repository on this machine that git would reach by an address. */
export interface OtherRepository {
  /** Its git directory. */
  readonly path: string;
  /** The address comes from git's configuration. */
  readonly isConfigured: boolean;
}

export interface Addresses {
  /** As the command spells them: addresses, paths or names of remotes. */
  readonly named: readonly string[];
  /** Whether git also takes addresses from its configuration. */
  readonly usesConfigured: boolean;
  /** Its own repository counts as well: by the time of the command there may be another one in the directory. */
  readonly includesOwn?: boolean;
  /** By then there may be other files: a path in the place of a repository counts, whether it is one today or not. */
  readonly anyPath?: boolean;
  /** By then there may be other settings: a name is a remote and a path. */
  readonly anyName?: boolean;
}

export interface Around {
  readonly userHome: string;
  /** The settings that apply to these git directories; undefined where they cannot be read. */
  settings(gitDirectories: readonly string[], top: string | undefined): readonly GitSetting[] | undefined;
}

/**
 * The repositories on this machine that a git command in a directory reaches by addresses, as git looks for them: a
 * configured remote before a path, `insteadOf` on both, and for a path the endings that git tries. Undefined where the
 * configuration cannot be read. Its own repository is not one of them unless asked for.
 */
export function findOtherRepositories(
  directory: string,
  { named, usesConfigured, includesOwn = false, anyPath = false, anyName = false }: Addresses,
  around: Around,
): readonly OtherRepository[] | undefined {
  const own = findOwn(directory);
  const settings = around.settings(own.gitDirectories, own.top);
  if (!settings) return undefined;
  const addresses = [
    ...named.flatMap((text) => resolveRemote(text, settings)),
    ...(anyName ? named.map((text) => ({ text, isConfigured: false })) : []),
    ...(usesConfigured ? findConfigured(settings) : []),
    // Git may go on to these, whatever is named.
    ...settings.filter(isSubmodule).map(({ value }) => ({ text: value, isConfigured: true })),
  ];
  // From below the top of a checkout git goes up to it before it looks at a path.
  const bases = [...new Set([directory, ...(own.top === undefined ? [] : [own.top]), ...own.gitDirectories])];
  const mine = own.gitDirectories.map((path) => resolveRealPath(path));
  const found = addresses.flatMap(({ text, isConfigured }) =>
    rewrite(text, settings)
      .flatMap((address) => [
        ...findGitDirectories(address, bases, around.userHome),
        ...(anyPath ? listPaths(address, bases, around.userHome) : []),
      ])
      .filter((path) => includesOwn || !mine.includes(resolveRealPath(path)))
      .flatMap((path) => [...new Set([resolve('/', path), resolveRealPath(path)])])
      .map((path) => ({ path, isConfigured })),
  );
  return found;
}

interface Own {
  readonly top: string | undefined;
  readonly gitDirectories: readonly string[];
}

function findOwn(directory: string): Own {
  for (let place = directory; ; place = dirname(place)) {
    const own = findGitDirectory(place) ?? (isGitDirectory(place) ? place : undefined);
    if (own !== undefined && isGitDirectory(own)) {
      const shared = findCommonDirectory(own);
      return { top: place, gitDirectories: shared === own ? [own] : [own, shared] };
    }
    if (place === dirname(place)) return { top: undefined, gitDirectories: [] };
  }
}

interface Address {
  readonly text: string;
  readonly isConfigured: boolean;
}

/** A name that is not a configured remote is an address itself; a group is taken for all remotes. */
function resolveRemote(text: string, settings: readonly GitSetting[]): Address[] {
  const urls = settings
    .filter(({ section, subsection }) => section === 'remote' && subsection === text)
    .filter(({ name }) => isUrl.test(name))
    .map(({ value }) => value);
  if (urls.length > 0) return urls.map((url) => ({ text: url, isConfigured: true }));
  const isGroup = settings.some(({ section, name }) => section === 'remotes' && name === text.toLowerCase());
  return [{ text, isConfigured: false }, ...(isGroup ? findConfigured(settings) : [])];
}

const isUrl = /^(?:push)?url$/;

/** Every address that settings name: which of them git takes depends on the branch. */
function findConfigured(settings: readonly GitSetting[]): Address[] {
  const urls = settings.filter(
    ({ section, subsection, name }) => section === 'remote' && subsection !== '' && isUrl.test(name),
  );
  const remotes = settings.filter(({ section, name }) =>
    section === 'branch' ? /^(?:push)?remote$/.test(name) : section === 'remote' && name === 'pushdefault',
  );
  // Where nothing is configured git takes this name, and then this path.
  const names = new Set([...remotes.map(({ value }) => value), 'origin']);
  const named = [...names].flatMap((name) =>
    resolveRemote(
      name,
      settings.filter(({ section }) => section === 'remote'),
    ),
  );
  return [...urls.map(({ value }) => value), ...named.map(({ text }) => text)].map((text) => ({
    text,
    isConfigured: true,
  }));
}

function isSubmodule({ section, name }: GitSetting): boolean {
  return section === 'submodule' && name === 'url';
}

/** As it is, and as each setting for it would have it. */
function rewrite(text: string, settings: readonly GitSetting[]): string[] {
  const bases = settings
    .filter(({ section, name }) => section === 'url' && /^(?:push)?insteadof$/.test(name))
    .filter(({ value }) => text.startsWith(value))
    .map(({ subsection, value }) => subsection + text.slice(value.length));
  return [text, ...bases];
}

function findGitDirectories(address: string, bases: readonly string[], userHome: string): string[] {
  return placeAddress(pathOfAddress(address), bases, userHome).flatMap((path) =>
    endings.flatMap((ending) => gitDirectoryAt(`${path}${ending}`) ?? []),
  );
}

/** Where a repository could be by this address; git takes a name before a colon for another machine. */
function listPaths(address: string, bases: readonly string[], userHome: string): string[] {
  return /^(?!file:)[^/]*:/.test(address) ? [] : placeAddress(pathOfAddress(address), bases, userHome);
}

function placeAddress(text: string | undefined, bases: readonly string[], userHome: string): string[] {
  if (text === undefined) return [];
  const expanded = text.replace(/^~(?=\/|$)/, userHome);
  // The kernel goes through links before it goes up, so the path is looked at as it is.
  const paths = expanded.startsWith('/') ? [expanded] : bases.map((base) => `${base}/${expanded}`);
  return [...new Set(paths)];
}

/** What git tries behind a path. */
const endings = ['/.git', '', '.git/.git', '.git'];

/** A file may name the directory, as `.git` does in a worktree. */
function gitDirectoryAt(path: string): string | undefined {
  const stat = statTarget(path);
  if (stat?.isDirectory()) return isGitDirectory(path) ? path : undefined;
  const named = stat?.isFile() ? /^gitdir: ([\s\S]+)$/.exec(readPointer(path) ?? '')?.[1] : undefined;
  return named === undefined ? undefined : resolve(dirname(path), named);
}

/** The path that an address may be; undefined for an address of another kind. */
function pathOfAddress(address: string): string | undefined {
  const url = /^file:\/\/[^/]*(\/.*)$/s.exec(address)?.[1];
  if (url !== undefined) return decode(url);
  if (/^[a-z][\w+.-]*:\/\//i.test(address) || address === '' || address.includes('\0')) return undefined;
  return address;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
