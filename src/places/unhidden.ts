import { join } from 'node:path';
import { readBounded } from '../lib/files/read-bounded.ts';
import { ignoreNames, listAbove, listUserExcludes, lookAtExclude } from './heeded.ts';

/**
 * What an entry of a directory brings back, if it is a file that makes rg and fd skip names, or leads to one: a line with `!`
 * brings a name back, even a dot name. `root`: where the program runs.
 */
export function unhiddenBy(name: string, directory: string, root: string): string[] {
  if (ignoreNames.includes(name)) return listUnhidden(join(directory, name));
  return name === '.git' ? lookAtExclude(directory, [root]).flatMap(({ path }) => listUnhidden(path)) : [];
}

/** By the ignore files of a directory and all above it, and the user's own. */
export function unhiddenAbove(
  directory: string,
  environment: Readonly<Record<string, string | undefined>>,
): string[] {
  const above = listAbove(directory).flatMap((each) =>
    [...ignoreNames, '.git'].flatMap((name) => unhiddenBy(name, each, directory)),
  );
  return [...above, ...listUserExcludes(environment).flatMap(listUnhidden)];
}

/** The last parts of the patterns that such a file brings back. Unlike git, these programs read braces as alternatives. */
function listUnhidden(file: string): string[] {
  return readLines(file).flatMap((line) => {
    const pattern = /^\ufeff?!(.*?)[/\s]*$/.exec(line)?.[1];
    if (pattern?.includes('{')) return ['*'];
    return pattern ? [pattern.slice(pattern.lastIndexOf('/') + 1)] : [];
  });
}

/** A file that cannot be read here may bring back any name. One that this user may not read brings back none. */
function readLines(file: string): string[] {
  const read = readBounded(file, maxBytes);
  if (read.state === 'read') return read.bytes.toString('utf8').split('\n');
  return read.state === 'unreadable' ? ['!*'] : [];
}

const maxBytes = 1024 * 1024;
