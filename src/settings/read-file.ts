import { isMissing } from '../lib/files/entry-at.ts';
import { readReal } from '../lib/files/open-real.ts';
import { getErrorCode, formatError, ok, type Result, usage } from '../lib/result.ts';
import { isWithin } from '../workspace/paths.ts';
import { resolveRealPath } from '../workspace/real-path.ts';

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
 * The text of a plain file; undefined where there is none. Where it leads is found out first, and nothing else is opened
 * then: no link can be put in its place between the look and the reading. Waits for nothing.
 */
export function readPlainFile({
  path,
  holds,
  largest,
  hint,
  root,
}: FileWanted): Result<FileText | undefined> {
  // Most are missing, which one look tells.
  if (isMissing(path)) return ok(undefined);
  const real = resolveRealPath(path);
  const leavesRoot = root !== undefined && !isWithin(real, resolveRealPath(root));
  const found = readReal(real, largest);
  if (found.state === 'missing') return ok(undefined);
  if (found.state === 'moved')
    return usage(`${path}: ${holds} cannot be read: a link on the way was changed meanwhile`, hint);
  if (found.state === 'failed') {
    // A file where a folder should be: nothing there.
    if (getErrorCode(found.error) === 'ENOTDIR') return ok(undefined);
    return usage(`${path}: ${holds} cannot be read: ${formatError(found.error)}`, hint);
  }
  const { stat, bytes } = found.value;
  if (!bytes)
    return usage(
      `${path}: expected a ${holds} file, found ${stat.isDirectory() ? 'a directory' : 'something else'}`,
      'Move it away, or put a file in its place.',
    );
  if (stat.size > largest)
    return usage(`${path}: ${stat.size} bytes; a ${holds} file may have at most ${largest}`);
  const text = bytes.toString('utf8');
  return ok(leavesRoot ? { text, leadsTo: real } : { text });
}
