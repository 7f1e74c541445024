import { constants, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { describeFileError } from '../lib/files.ts';
import { codeOf, fail, failure, ok, type Result } from '../lib/result.ts';
import { realPathOf } from '../workspace/workspace.ts';

export interface OpenFile {
  handle: FileHandle;
  stat: Stats;
  /** Where the path really leads; what an agent has seen is known by this name. */
  real: string;
}

/** Opens a regular file for reading; null when there is none. The caller closes the handle. */
export async function openFile(path: string): Promise<Result<OpenFile | null>> {
  const real = realPathOf(path);
  let handle: FileHandle;
  try {
    // Without blocking, since the open of a named pipe would wait for a writer.
    handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? ok(null) : fail(describeFileError(error, path, 'read'));
  }
  const stat = await handle.stat();
  const problem = problemWith(stat, path, real);
  if (problem === undefined) return ok({ handle, stat, real });
  await handle.close();
  return failure(problem);
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
