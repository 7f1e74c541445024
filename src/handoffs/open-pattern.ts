import { isAbsolute, resolve } from 'node:path';
import { describeUnread, readBounded } from '../lib/files/read-bounded.ts';
import { fail, ok, type Result, usage } from '../lib/result.ts';
import type { HandoffLibrary } from './load-library.ts';
import { type FilePattern, readPatternFile } from './pattern-file.ts';
import { builtInPatterns, isBuiltInPattern } from './programs.ts';

const maxBytes = 200_000;

/** Whether the argument of `cadre run` is a pattern of hand-offs: a reserved name, or a file of data. */
export function isPatternName(given: string): boolean {
  return isBuiltInPattern(given) || /\.(?:json|ya?ml)$/i.test(given);
}

/** A built-in pattern, or the one that a file describes. */
export async function openPattern(
  given: string,
  { cwd, library }: { cwd: string; library: HandoffLibrary },
): Promise<Result<FilePattern>> {
  if (isBuiltInPattern(given)) return ok({ name: given, pattern: builtInPatterns[given].build(), task: {} });
  const file = isAbsolute(given) ? given : resolve(cwd, given);
  const read = readBounded(file, maxBytes);
  if (read.state === 'missing')
    return usage(
      `${given}: no such file.`,
      `Give a file, or one of ${Object.keys(builtInPatterns).join(', ')}.`,
    );
  if (read.state !== 'read') return fail(describeUnread(read, file, maxBytes));
  return readPatternFile(given, read.bytes.toString('utf8'), library);
}
