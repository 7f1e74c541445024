import { constants, realpathSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { codeOf, fail, messageOf, ok, type Problem, type Result } from '../lib/result.ts';

/** Bytes of one memory file that are used. */
export const largestMemoryFile = 40 * 1024;

export interface RawMemory {
  real: string;
  text: string;
  /** Bytes of the file beyond the limit. */
  cut: number;
}

/** Where symlinks lead; undefined where there is no such file. */
export function realPathOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/** The beginning of a plain text file, by its real path; undefined where it is gone. A pipe or device is never waited for. */
export async function readBounded(real: string): Promise<Result<RawMemory | undefined>> {
  try {
    const file = await open(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      const entry = await file.stat();
      if (!entry.isFile()) return problem(`${real}: expected a text file; it was left out`);
      const buffer = Buffer.alloc(Math.min(entry.size, largestMemoryFile));
      const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
      const bytes = buffer.subarray(0, bytesRead);
      if (bytes.includes(0)) return problem(`${real}: expected text, found binary data; it was left out`);
      const cut = entry.size - bytesRead;
      const text = bytes.toString('utf8');
      // Half a line, or half a character, would be worse than none.
      return ok({ real, cut, text: cut > 0 ? text.slice(0, Math.max(0, text.lastIndexOf('\n'))) : text });
    } finally {
      await file.close();
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return ok(undefined);
    return problem(`${real}: memory cannot be read: ${messageOf(error)}`);
  }
}

function problem(message: string): Result<never> {
  const failure: Problem = { kind: 'failure', message };
  return fail(failure);
}
