import { resolve } from 'node:path';
import { goesUp, joinPath } from '../../workspace/paths.ts';

const mostDirectories = 8;

/** Where `cd` may lead. The shell folds `link/..` by its text, and goes by the link where there is no such directory. */
export function targetsOf(from: string, path: string): string[] {
  const folded = resolve(from, path);
  return goesUp(path) && /[^./]/.test(path) ? [folded, joinPath(from, path)] : [folded];
}

/** The directories that a command may run in when either way was taken; empty when nobody can tell. */
export function union(a: readonly string[], b: readonly string[]): readonly string[] {
  if (a === b) return a;
  // Unknown stays unknown.
  if (a.length === 0 || b.length === 0) return [];
  const all = [...new Set([...a, ...b])];
  return all.length > mostDirectories ? [] : all;
}
