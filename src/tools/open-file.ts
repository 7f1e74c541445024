import { closeSync, constants, fstatSync, openSync, type Stats } from 'node:fs';
import { describeFileError } from '../lib/files.ts';
import { codeOf, fail, failure, ok, type Result } from '../lib/result.ts';
import { realPathOf } from '../workspace/real-path.ts';

export interface OpenFile {
  /** Open for reading; the caller closes it. */
  descriptor: number;
  stat: Stats;
  /** Where the path really leads; what an agent has seen is known by this name. */
  real: string;
}

/**
 * Opens a regular file for reading; null when there is none. Synchronous, as everything about a small file is: a
 * hop to another thread costs more than the work. `judged` is where the path led when the call was judged.
 */
export function openFile(path: string, judged?: string): Result<OpenFile | null> {
  const real = realPathOf(path);
  if (judged !== undefined && judged !== real) return failure(movedMeanwhile(path));
  if (real === '/' && path !== '/') return failure(`${path} leads nowhere: its links go in a circle.`);
  let descriptor: number;
  try {
    // Without blocking, since the open of a named pipe would wait for a writer.
    descriptor = openSync(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? ok(null) : fail(describeFileError(error, path, 'read'));
  }
  const stat = fstatSync(descriptor);
  const problem = problemWith(stat, path, real);
  if (problem === undefined) return ok({ descriptor, stat, real });
  closeSync(descriptor);
  return failure(problem);
}

export function movedMeanwhile(path: string): string {
  return `${path} leads elsewhere than when the call was judged: a link on the way was changed. Try again.`;
}

/** Checked after the open, so that a link swapped in between is noticed. */
function problemWith(stat: Stats, path: string, real: string): string | undefined {
  if (stat.isDirectory()) return `${path} is a directory. List it with Glob (pattern "*", path "${path}").`;
  if (!stat.isFile()) return `${path} is not a regular file (${specialKind(stat)}), so it is not read.`;
  if (realPathOf(path) !== real) return `${path} was moved while it was being opened. Try again.`;
  return undefined;
}

function specialKind(stat: Stats): string {
  if (stat.isFIFO()) return 'a named pipe';
  if (stat.isSocket()) return 'a socket';
  return 'a device';
}
