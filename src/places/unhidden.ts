import { dirname, join } from 'node:path';
import { readBounded } from '../lib/files/read-bounded.ts';
import { ignoreNames } from './heeded.ts';

/** Files that make rg and fd skip names; a line with `!` brings one back, even a dot name. */
const ignoreFiles: readonly string[] = [...ignoreNames, '.git/info/exclude'];

export function isIgnoreFile(name: string): boolean {
  return ignoreFiles.includes(name);
}

/** The last parts of the patterns that such a file brings back. */
export function listUnhidden(file: string): string[] {
  return readLines(file).flatMap((line) => {
    const pattern = /^!(.*?)[/\s]*$/.exec(line)?.[1];
    return pattern ? [pattern.slice(pattern.lastIndexOf('/') + 1)] : [];
  });
}

/** By the ignore files of a directory and all above it. */
export function unhiddenAbove(directory: string): string[] {
  const found = ignoreFiles.flatMap((name) => listUnhidden(join(directory, name)));
  const parent = dirname(directory);
  return parent === directory ? found : [...found, ...unhiddenAbove(parent)];
}

/** A file that cannot be read here may bring back any name. One that this user may not read brings back none. */
function readLines(file: string): string[] {
  const read = readBounded(file, maxBytes);
  if (read.state === 'read') return read.bytes.toString('utf8').split('\n');
  return read.state === 'unreadable' ? ['!*'] : [];
}

const maxBytes = 1024 * 1024;
