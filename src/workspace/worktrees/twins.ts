import { dirname } from 'node:path';
import { findCommonDirectory, findGitDirectory } from '../git/directory.ts';
import { isWithin, relativeParts } from '../paths.ts';
import { resolveRealPath } from '../real-path.ts';
import { readRecord } from './record.ts';

/**
 * One of our worktrees is the same checkout under another path: whatever is said about a path of the checkout holds for the
 * same path in the worktree. The two are twins.
 */
export interface OwnWorktree {
  readonly path: string;
  /** The checkout that it is below. */
  readonly main: string;
  /** Other checkouts that its content came from: a worktree of the user's in which a session was started. */
  readonly starts: readonly string[];
}

/** Other checkouts that the content of a worktree came from, by its main checkout and its name. */
export type FindStarts = (main: string, slug: string) => readonly string[];

/** By our records, which no sandboxed command can write. */
export function openStarts(home: string): FindStarts {
  return (main, slug) => {
    const own = findGitDirectory(main);
    if (own === undefined) return [];
    const { starts = [] } = readRecord(home, resolveRealPath(findCommonDirectory(own)), slug) ?? {};
    return starts.filter((path) => typeof path === 'string');
  };
}

/** Where a path in a worktree would be in the checkouts that the worktree is a copy of; none for any other path. */
export function listOriginals(path: string, findStarts: FindStarts = () => []): string[] {
  // Asked about every file that a search finds.
  if (!mayBeOwn.test(path)) return [];
  const found = new Set<string>();
  const waiting = [path];
  for (let one = waiting.shift(); one !== undefined && found.size < maxOriginals; one = waiting.shift())
    for (const tree of listOwnWorktrees(one, findStarts))
      for (const base of [tree.main, ...tree.starts]) {
        const original = joinParts(base, one.slice(tree.path.length));
        if (!found.has(original)) waiting.push(original);
        found.add(original);
      }
  return [...found];
}

/** The worktrees that hold a path, by its text: one may be made below another. */
export function listOwnWorktrees(path: string, findStarts: FindStarts = () => []): OwnWorktree[] {
  return [...path.matchAll(ownPlace)].map(({ 0: whole, 1: slug = '', index }) => {
    const main = path.slice(0, index) || '/';
    return { path: path.slice(0, index + whole.length), main, starts: findStarts(main, slug) };
  });
}

/** Where a path of the checkout is in a worktree; the worktree itself for a directory around a checkout that it came from. */
export function listTwins(path: string, { path: tree, main, starts }: OwnWorktree): string[] {
  if (isWithin(path, `${main}/.cadre/worktrees`)) return [];
  const around = starts.some((start) => path !== '/' && isWithin(start, path)) ? [tree] : [];
  const inside = [main, ...starts].flatMap((base) => {
    const parts = relativeParts(path, base);
    return parts === undefined || parts.length === 0 ? [] : [[tree, ...parts].join('/')];
  });
  return [...new Set([...around, ...inside])];
}

/** The directories of worktrees of every checkout around a path, whether they exist or not. */
export function listTreeFolders(path: string, isCheckout: (directory: string) => boolean): string[] {
  const found: string[] = [];
  for (let up = dirname(path); up !== '/'; up = dirname(up))
    if (isCheckout(up)) found.push(`${up}/.cadre/worktrees`);
  return found.filter((folder) => !isWithin(path, folder));
}

function joinParts(base: string, rest: string): string {
  return base === '/' ? rest || '/' : `${base}${rest}`;
}

/** Names may be written in another way on a file system that ignores case. */
const ownPlace = /\/\.cadre\/worktrees\/([^/]+)(?=\/|$)/gi;
const mayBeOwn = /\/\.cadre\/worktrees\//i;
const maxOriginals = 100;
