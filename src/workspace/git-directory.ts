import { join } from 'node:path';
import { entryAt } from '../lib/entry-at.ts';

/**
 * Whether git, run in a directory, takes the directory itself for a repository, and runs what its configuration names.
 * Git's own rule, by names alone: a head, with objects and references beside it or in the place that `commondir` names.
 * What is in the head is not looked at: it can be changed without a trace in the directory.
 */
export function isGitDirectory(directory: string): boolean {
  const has = (name: string) => entryAt(join(directory, name)) !== undefined;
  return hasHead(directory) && (has('commondir') || (has('objects') && has('refs')));
}

/**
 * Whether a name that is made in a directory could be what it lacks to become one. Nothing is a git directory without a
 * head, so that a head is enough; where one is there, so is any other part.
 */
export function makesGitDirectory(directory: string, name: string): boolean {
  const folded = name.toLowerCase();
  return folded === 'head' || (gitParts.includes(folded) && hasHead(directory));
}

/** By these, beside its head, git tells that a directory is one of its own. */
export const gitParts: readonly string[] = ['objects', 'refs', 'commondir'];

function hasHead(directory: string): boolean {
  return entryAt(join(directory, 'HEAD'))?.isDirectory() === false;
}
