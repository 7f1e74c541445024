import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Links in a git directory. Git makes none, and follows those it meets: a log that is a link lets the next commit, which
 * the user makes outside, write to where it leads.
 */
export function linksIn(gitDirectory: string): string[] {
  return [
    ...linksHere(gitDirectory),
    ...linksHere(join(gitDirectory, 'objects')),
    ...['refs', 'logs', 'info'].flatMap((name) => linksBelow(join(gitDirectory, name))),
  ];
}

function linksBelow(directory: string): string[] {
  return entriesOf(directory).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isSymbolicLink()) return [path];
    return entry.isDirectory() ? linksBelow(path) : [];
  });
}

function linksHere(directory: string): string[] {
  return entriesOf(directory)
    .filter((entry) => entry.isSymbolicLink())
    .map((entry) => join(directory, entry.name));
}

function entriesOf(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}
