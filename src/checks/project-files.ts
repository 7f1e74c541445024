import { readdirSync } from 'node:fs';
import { posix } from 'node:path';
import { statTarget } from '../lib/files/entry-at.ts';
import { readBoundedText } from '../lib/files/read-bounded.ts';

/** The files of a project, as far as finding its checks and reading their reports needs them. They are a stranger's data. */
export interface ProjectFiles {
  /** Names in a directory; none where there is no directory. */
  names(directory: string): readonly string[];
  /** The text of a file of moderate size; undefined where there is none. */
  read(path: string): string | undefined;
  /** When a file was last changed, in milliseconds since 1970. */
  changedAt(path: string): number | undefined;
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
  changedAt: (path) => statTarget(path)?.mtimeMs,
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
    changedAt: (path) => (path in files ? changedAt : undefined),
  };
}
