import { readdirSync } from 'node:fs';
import { posix } from 'node:path';
import { readReal } from '../lib/files/open-real.ts';
import { readBoundedText } from '../lib/files/read-bounded.ts';
import type { RealPath } from '../lib/files/real-places.ts';
import { resolveRealPath } from '../workspace/real-path.ts';

/** The files of a project, as far as finding its checks and reading their reports needs them. They are a stranger's data. */
export interface ProjectFiles {
  /** Names in a directory; none where there is no directory. */
  names(directory: string): readonly string[];
  /** The text of a file of moderate size; undefined where there is none. */
  read(path: string): string | undefined;
  /** The real path of a directory. Asked before a command runs there, which could put a link in its place. */
  locate(directory: string): string;
  /**
   * The text of a report that was written since, in milliseconds since 1970. No link is followed: the command that wrote it
   * may be confined, and would name a file that it cannot read itself.
   */
  readSince(path: string, since: number): string | undefined;
}

const maxFileBytes = 32 * 1024 * 1024;
const maxNames = 10_000;

export const systemProjectFiles: ProjectFiles = {
  names(directory) {
    try {
      return readdirSync(directory).slice(0, maxNames);
    } catch {
      return [];
    }
  },
  read: (path) => readBoundedText(path, maxFileBytes),
  locate: resolveRealPath,
  readSince(path, since) {
    const found = readReal(path as RealPath, maxFileBytes);
    if (found.state !== 'found') return undefined;
    const { stat, bytes } = found.value;
    return stat.mtimeMs < since || stat.size > maxFileBytes ? undefined : bytes?.toString('utf8');
  },
};

/** The same in memory, by absolute path. */
export function memoryProjectFiles(files: Readonly<Record<string, string>>, changedAt = 0): ProjectFiles {
  const paths = Object.keys(files);
  return {
    names: (directory) => [
      ...new Set(
        paths
          .filter((path) => path.startsWith(`${directory === '/' ? '' : directory}/`))
          .map((path) => posix.relative(directory, path).split('/')[0] ?? ''),
      ),
    ],
    read: (path) => files[path],
    locate: (directory) => directory,
    readSince: (path, since) => (changedAt < since ? undefined : files[path]),
  };
}
