import type { CallWorkspace } from './types.ts';

/** The parts of an absolute path. Comparing parts is what keeps `/work` and `/work-evil` apart. */
export function componentsOf(path: string): string[] {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') parts.pop();
    else parts.push(part);
  }
  return parts;
}

export function isWithin(path: string, directory: string): boolean {
  return relativeParts(path, directory) !== undefined;
}

/** The parts of a path below a directory; empty for the directory itself, undefined outside of it. */
export function relativeParts(path: string, directory: string): string[] | undefined {
  const inner = componentsOf(path);
  const outer = componentsOf(directory);
  return outer.every((part, index) => inner[index] === part) ? inner.slice(outer.length) : undefined;
}

/** A path as it was given and as symlinks lead: what grants must hold for both, what refuses for either. */
export interface ResolvedPath {
  readonly given: string;
  readonly real: string;
}

export function resolvePath(path: string, workspace: CallWorkspace): ResolvedPath {
  return { given: path, real: workspace.realPath(path) };
}

/** The same workspace, asking for each path once: many rules look at the same few. */
export function rememberPaths(workspace: CallWorkspace): CallWorkspace {
  const known = new Map<string, string>();
  const realPath = (path: string) => {
    const real = known.get(path) ?? workspace.realPath(path);
    known.set(path, real);
    return real;
  };
  return { ...workspace, realPath };
}

/** Inside one of the directories by name and by target. A directory may itself stand behind a symlink. */
export function isInside(
  path: ResolvedPath,
  directories: readonly string[],
  workspace: CallWorkspace,
): boolean {
  return directories.some((directory) => {
    const real = workspace.realPath(directory);
    return (isWithin(path.given, directory) || isWithin(path.given, real)) && isWithin(path.real, real);
  });
}

/** For comparisons that refuse: some file systems take names that differ in case or composition as one. */
export function foldName(name: string): string {
  return name.normalize('NFC').toLowerCase();
}
