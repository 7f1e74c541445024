import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { codeOf, messageOf, ok, type Result, usage } from '../lib/result.ts';
import { isWithin } from '../workspace/paths.ts';
import { realPathOf } from '../workspace/real-path.ts';

export interface FileWanted {
  path: string;
  /** What it holds, for messages: settings, servers … */
  holds: string;
  largest: number;
  hint?: string;
  /** The repository that it belongs to, where it belongs to one. */
  root?: string;
}

export interface FileText {
  text: string;
  /** Where a repository's file leads, if that is out of the repository. */
  leadsTo?: string;
}

/**
 * The text of a plain file; undefined where there is none. It is opened once, and what was opened is looked at: nothing
 * can be put in its place between the look and the reading. Waits for nothing.
 */
export function readPlainFile({
  path,
  holds,
  largest,
  hint,
  root,
}: FileWanted): Result<FileText | undefined> {
  // Of a repository's file we must know where it leads; what was found is then opened, and nothing else.
  const real = root === undefined ? path : realPathOf(path);
  const links = root === undefined ? 0 : constants.O_NOFOLLOW;
  const leavesRoot = root !== undefined && !isWithin(real, realPathOf(root));
  try {
    const descriptor = openSync(real, constants.O_RDONLY | constants.O_NONBLOCK | links);
    try {
      const entry = fstatSync(descriptor);
      if (!entry.isFile())
        return usage(
          `${path}: expected a ${holds} file, found ${entry.isDirectory() ? 'a directory' : 'something else'}`,
          'Move it away, or put a file in its place.',
        );
      if (entry.size > largest)
        return usage(`${path}: ${entry.size} bytes; a ${holds} file may have at most ${largest}`);
      const text = readFileSync(descriptor, 'utf8');
      return ok(leavesRoot ? { text, leadsTo: real } : { text });
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    // A file where a folder should be: nothing there.
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return ok(undefined);
    return usage(`${path}: ${holds} cannot be read: ${messageOf(error)}`, hint);
  }
}
