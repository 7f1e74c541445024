import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, extname } from 'node:path';
import { describeFileError, writeAtomic } from '../lib/files/atomic.ts';
import { fail, ok, type Result } from '../lib/result.ts';
import { resolveRealPath } from '../workspace/real-path.ts';
import type { Desk } from './desk.ts';

/** The user's editor opens the file, or `template` where there is none yet. What was done, in a sentence. */
export async function editFile(desk: Desk, file: string, template?: string): Promise<string> {
  const isNew = template !== undefined;
  if (isNew && existsSync(file)) return `${file} exists already.`;
  const before = isNew ? template : readText(file);
  if (typeof before !== 'string') return before.problem.message;
  const edited = await desk.world.edit(before, extname(file));
  if (edited === undefined) return 'The editor failed, so nothing was changed.';
  if (edited === before)
    return isNew ? 'Nothing was written: the template is unchanged.' : 'Nothing was changed.';
  const written = writeText(file, edited);
  return written.ok
    ? `Saved in ${file}. New sessions use it; /fork continues this one with it.`
    : written.problem.message;
}

function readText(file: string): string | { problem: { message: string } } {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return { problem: describeFileError(error, file, 'read') };
  }
}

/** The mode of a file stays, and a link to it too. */
export function writeText(file: string, text: string): Result<void> {
  const path = resolveRealPath(file);
  try {
    const mode = existsSync(path) ? statSync(path).mode & 0o777 : 0o644;
    mkdirSync(dirname(path), { recursive: true });
    const written = writeAtomic(path, text, mode);
    return written.ok ? ok(undefined) : written;
  } catch (error) {
    return fail(describeFileError(error, path, 'write'));
  }
}
