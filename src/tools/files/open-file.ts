import type { Stats } from 'node:fs';
import { describeFileError } from '../../lib/files/files.ts';
import { openReal } from '../../lib/files/open-real.ts';
import type { RealPath } from '../../lib/files/real-places.ts';
import { fail, failure, ok, type Result } from '../../lib/result.ts';

export interface OpenFile {
  /** Open for reading; the caller closes it. */
  descriptor: number;
  stat: Stats;
  /** The real path; files seen by an agent are recorded under this name. */
  real: RealPath;
}

/**
 * Opens a regular file for reading; null if there is none. `judged` is where the path led when the call was judged, and
 * the only place that is opened. Synchronous, as everything about a small file is: a hop to another thread costs more
 * than the work.
 */
export function openFile(path: string, judged: RealPath | undefined): Result<OpenFile | null> {
  if (judged === undefined)
    return failure(`${path} is not the path that was checked for this call. Try again.`);
  if (judged === '/' && path !== '/')
    return failure(
      `${path} cannot be resolved: its links form a cycle, or pass through a path that differs between processes.`,
    );
  const found = openReal(judged);
  if (found.state === 'missing') return ok(null);
  if (found.state === 'moved') return failure(movedMeanwhile(path));
  if (found.state === 'failed') return fail(describeFileError(found.error, path, 'read'));
  const { descriptor, stat } = found.value;
  return descriptor === undefined
    ? failure(describeSpecial(path, stat))
    : ok({ descriptor, stat, real: judged });
}

export function movedMeanwhile(path: string): string {
  return `${path} no longer resolves to the path that was checked for this call: a link in it changed. Try again.`;
}

function describeSpecial(path: string, stat: Stats): string {
  if (stat.isDirectory()) return `${path} is a directory. List it with Glob (pattern "*", path "${path}").`;
  return `${path} is not a regular file (${specialKind(stat)}), so it is not read.`;
}

function specialKind(stat: Stats): string {
  if (stat.isFIFO()) return 'a named pipe';
  if (stat.isSocket()) return 'a socket';
  return 'a device';
}
