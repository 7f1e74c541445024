import { readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { textAt } from './look.ts';

/** Settings that name files from which git takes programs or more settings. */
const leading = /^\s*(hookspath|path|attributesfile|worktree)\s*=\s*(.+?)\s*$/i;

/**
 * The places that a repository's own configuration leads git to, absolute. What they name from a user's home is no
 * matter here: commands cannot write that.
 */
export function ledPaths(gitDirectory: string, top: string): string[] {
  const file = join(gitDirectory, 'config');
  const lines = (textAt(file) ?? '').split('\n');
  return lines.flatMap((line) => {
    const [, name = '', value = ''] = leading.exec(line) ?? [];
    const path = value.replace(/\s[#;].*$/, '').replaceAll('"', '');
    if (path === '' || path.startsWith('~')) return [];
    // A directory of work is not to be closed; it is matched so that it is not taken for another key.
    if (name.toLowerCase() === 'worktree') return [];
    const base = name.toLowerCase() === 'path' ? dirname(file) : top;
    const led = resolve(base, path);
    return led === top || top.startsWith(`${led}/`) ? [] : [led];
  });
}

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
