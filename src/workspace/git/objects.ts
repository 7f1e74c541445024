import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readBounded } from '../../lib/files/read-bounded.ts';
import { resolveRealPath } from '../real-path.ts';
import { findRoot } from '../workspace.ts';
import { findCommonDirectory, findGitDirectory } from './directory.ts';
import { runGitNow } from './now.ts';

export type ObjectKind = 'commit' | 'tree' | 'blob';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * What these names of revisions lead to, behind tags, in the repository around a directory; undefined for a name that
 * leads to no object, and altogether where it cannot be told.
 */
export function openObjectKinds(
  environment: Environment,
): (directory: string, names: readonly string[]) => readonly (ObjectKind | undefined)[] | undefined {
  return (directory, names) => {
    const root = findRoot(directory);
    if (root === undefined) return names.map(() => undefined);
    const data = findGitData(root);
    if (!data || hidesObjects(data.shared) || names.some((name) => /[\0\n]/.test(name))) return undefined;
    const input = names.map((name) => `${name}^{}\n`).join('');
    const args = ['cat-file', '--batch-check=kind %(objecttype)'];
    const lines = runGitNow(args, { cwd: root, environment, input })?.split('\n').slice(0, -1);
    return lines?.length === names.length ? lines.map(parseKind) : undefined;
  };
}

/** Of a name without an object git repeats the name, which never begins like this and ends like that. */
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
  /** What a linked worktree has in common with the others. */
  readonly shared: string;
}

export function findGitData(root: string): GitData | undefined {
  const own = findGitDirectory(root);
  return own === undefined ? undefined : { own, shared: resolveRealPath(findCommonDirectory(own)) };
}

/** With these, other objects than the usual ones are shown, or those behind them are not walked. */
export function hidesObjects(shared: string): boolean {
  return (
    listNames(join(shared, 'refs', 'replace')).length > 0 ||
    existsSync(join(shared, 'reftable')) ||
    existsSync(join(shared, 'info', 'grafts')) ||
    mayPack(shared, 'refs/replace/')
  );
}

function listNames(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** Whether references of this kind are among the packed ones, or could be. */
function mayPack(shared: string, kind: string): boolean {
  const packed = readBounded(join(shared, 'packed-refs'), maxPacked);
  return packed.state === 'read' ? packed.bytes.includes(` ${kind}`) : packed.state !== 'missing';
}

const maxPacked = 64 * 1024 * 1024;
