import { writeAtomic } from '../../lib/files/atomic.ts';
import { basename, join } from '../../lib/files/exact-paths.ts';
import { readReal } from '../../lib/files/open-real.ts';
import type { RealPath } from '../../lib/files/real-places.ts';
import { hashBytes } from '../../lib/hash.ts';
import type { PathEntry } from '../../protocol/sandbox.ts';
import type { GitPlace } from '../git-places.ts';
import { statEntry } from './look.ts';

/**
 * Stand-ins for missing directories exist while a command runs, and git would try to remove them (`git clean -fd`, `git stash
 * -u`). Inside, the repository's `info/exclude` is replaced by one that names them as well: git neither lists nor removes
 * ignored files, and the user's file stays as it is.
 */
export function excludeStandIns(
  git: readonly GitPlace[],
  standIns: { paths: readonly string[]; directory: string } | undefined,
): PathEntry[] {
  if (!standIns || standIns.paths.length === 0) return [];
  const names = standIns.paths.map((path) => `/${basename(path)}/\n`).join('');
  return git.flatMap(({ excludes }) => {
    const text = excludes === undefined ? undefined : readText(excludes);
    if (excludes === undefined || text === undefined) return [];
    const from = writeOnce(standIns.directory, `${text.replace(/\n?$/, '\n')}${names}`);
    return from === undefined
      ? []
      : [{ path: excludes, access: 'read', isDirectory: false, pinned: true, from }];
  });
}

const maxBytes = 64 * 1024;

/** Without a link on the way: another command could put one there at any moment, and its content is shown inside. */
function readText(path: string): string | undefined {
  const read = readReal(path as RealPath, maxBytes + 1);
  const bytes = read.state === 'found' ? read.value.bytes : undefined;
  return bytes && bytes.length <= maxBytes ? bytes.toString('latin1') : undefined;
}

/** Named by its content, so that it is written once and never changes while a command uses it. */
function writeOnce(directory: string, text: string): string | undefined {
  const path = join(directory, `excludes-${hashBytes(Buffer.from(text, 'latin1')).slice(0, 16)}`);
  if (statEntry(path)?.isFile()) return path;
  return writeAtomic(path, Buffer.from(text, 'latin1'), 0o600).ok ? path : undefined;
}
