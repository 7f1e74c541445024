import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { listNames } from '../../lib/files/list-names.ts';
import { readBounded } from '../../lib/files/read-bounded.ts';
import { resolveRealPath } from '../real-path.ts';
import { findRoot } from '../workspace.ts';
import { findCommonDirectory, findGitDirectory } from './directory.ts';
import { runGitNow } from './now.ts';

export type ObjectKind = 'commit' | 'tree' | 'blob';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The objects that these revision names lead to, behind tags, in the repository around a directory; undefined for a name that
 * leads to no object, and altogether where it is unknown.
 */
export function openObjectKinds(
  environment: Environment,
): (directory: string, names: readonly string[]) => readonly (ObjectKind | undefined)[] | undefined {
  return (directory, names) => {
    const root = findRoot(directory);
    if (root === undefined) return names.map(() => undefined);
    const data = findGitData(root);
    if (!data || hidesObjects(data.shared) || names.some((name) => /[\0\n]/.test(name))) return undefined;
    // Behind a colon is a path, which is never a tag.
    const input = names.map((name) => (name.includes(':') ? `${name}\n` : `${name}^{}\n`)).join('');
    const args = ['cat-file', '--batch-check=kind %(objecttype)'];
    const lines = runGitNow(args, { cwd: root, environment, input })?.split('\n').slice(0, -1);
    return lines?.length === names.length ? lines.map(parseKind) : undefined;
  };
}

/**
 * Those of the paths that some of these revisions and the index hold and others do not, in the repository around a
 * directory; undefined where that cannot be told, as when a name is not that of a commit.
 */
export function openHeldBySome(
  environment: Environment,
): (
  directory: string,
  revisions: readonly string[],
  paths: readonly string[],
) => readonly string[] | undefined {
  const kinds = openObjectKinds(environment);
  return (directory, revisions, paths) => {
    const root = findRoot(directory);
    if (root === undefined || !kinds(directory, revisions)?.every((kind) => kind === 'commit'))
      return undefined;
    const sides = ['', ...revisions];
    const names = paths.flatMap((path) => sides.map((side) => `${side}:${relative(root, path)}`));
    if (names.some((name) => /[\0\n]/.test(name))) return undefined;
    const input = names.map((name) => `${name}\n`).join('');
    const lines = runGitNow(['cat-file', '--batch-check=kind %(objecttype)'], {
      cwd: root,
      environment,
      input,
    })
      ?.split('\n')
      .slice(0, -1);
    if (lines?.length !== names.length) return undefined;
    return paths.filter((_, at) => {
      const own = lines.slice(at * sides.length, (at + 1) * sides.length).map(parseKind);
      return own.some((kind) => kind !== own[0]);
    });
  };
}

/** For a name without an object git repeats the name, which never begins like this and ends like that. */
function parseKind(line: string): ObjectKind | undefined {
  return /^kind (commit|tree|blob)$/.exec(line)?.[1] as ObjectKind | undefined;
}

/** Whether there are notes, which git shows along with commits. Each of them may be any object. */
export function hasNotes(directory: string): boolean {
  const root = findRoot(directory);
  if (root === undefined) return false;
  const data = findGitData(root);
  if (!data) return true;
  return (
    listNames(join(data.shared, 'refs', 'notes')).length > 0 ||
    existsSync(join(data.shared, 'reftable')) ||
    mayPack(data.shared, 'refs/notes/')
  );
}

/** Where a repository keeps its references and objects. */
export interface GitData {
  readonly own: string;
  /** The directory that a linked worktree shares with the others. */
  readonly shared: string;
}

export function findGitData(root: string): GitData | undefined {
  const own = findGitDirectory(root);
  return own === undefined ? undefined : { own, shared: resolveRealPath(findCommonDirectory(own)) };
}

/** With these, git shows other objects than the usual ones, or does not walk those behind them. */
export function hidesObjects(shared: string): boolean {
  return (
    listNames(join(shared, 'refs', 'replace')).length > 0 ||
    existsSync(join(shared, 'reftable')) ||
    existsSync(join(shared, 'info', 'grafts')) ||
    mayPack(shared, 'refs/replace/')
  );
}

/** Whether references of this kind are packed, or could be. */
function mayPack(shared: string, kind: string): boolean {
  const packed = readBounded(join(shared, 'packed-refs'), maxPacked);
  return packed.state === 'read' ? packed.bytes.includes(` ${kind}`) : packed.state !== 'missing';
}

const maxPacked = 64 * 1024 * 1024;
