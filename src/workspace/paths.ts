import { resolve, sep } from 'node:path';

/** The parts of an absolute path. Comparing parts is what keeps `/repo` and `/repo-evil` apart. */
export function splitPath(path: string): string[] {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') parts.pop();
    else parts.push(part);
  }
  return parts;
}

/** By component: `/repo` contains `/repo/a` and itself, not `/repo-evil`. Both paths are absolute. */
export function isWithin(path: string, directory: string): boolean {
  return relativeParts(path, directory) !== undefined;
}

/** The parts of a path below a directory; empty for the directory itself, undefined outside it. */
export function relativeParts(path: string, directory: string): string[] | undefined {
  const inner = splitPath(path);
  const outer = splitPath(directory);
  return outer.every((part, index) => inner[index] === part) ? inner.slice(outer.length) : undefined;
}

/** Whether it contains `..`, so that folding it may lead elsewhere than the kernel does. */
export function goesUp(path: string): boolean {
  return path.includes('..') && /(?:^|\/)\.\.(?:\/|$)/.test(path);
}

/** Joins paths as the kernel would, so that `..` stays where it is: behind a symlink it is the parent of the target. */
export function joinPath(start: string, path: string): string {
  if (path.startsWith('/')) return path;
  return path === '' || path === '.' ? start : `${start.replace(/\/+$/, '')}/${path}`;
}

/** Absolute and normalised. Symlinks are not followed: that is `resolveRealPath`. */
export function resolvePath(cwd: string, path: string, home?: string): string {
  if (home !== undefined && (path === '~' || path.startsWith(`~${sep}`))) return resolve(home, path.slice(2));
  return resolve(cwd, path);
}
