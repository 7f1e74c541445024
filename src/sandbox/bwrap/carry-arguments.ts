import { rmSync, writeFileSync } from '../../lib/files/exact-files.ts';
import { pathBytes } from '../../lib/files/exact-paths.ts';
import { describeFileError } from '../../lib/files/files.ts';
import { randomIds } from '../../lib/ids.ts';
import { fail, ok, type Result } from '../../lib/result.ts';

/** Options of `bwrap`, and the file that holds them where they cannot be given as words. */
export interface CarriedArguments {
  args: string[];
  file?: string;
  release?(): void;
}

/**
 * A program is started with words of valid text. Options with a path that is not valid UTF-8 go through a file of bytes
 * instead, which `bwrap` reads from a descriptor.
 */
export function carryArguments(
  args: readonly string[],
  descriptor: number,
  directory: () => Result<string>,
): Result<CarriedArguments> {
  if (args.every((word) => word.isWellFormed())) return ok({ args: [...args] });
  const made = directory();
  if (!made.ok) return made;
  const file = `${made.value}/${carriedPrefix}${randomIds.token(12)}`;
  try {
    const bytes = Buffer.concat(args.flatMap((word) => [pathBytes(word), Buffer.alloc(1)]));
    writeFileSync(file, bytes, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    return fail(describeFileError(error, file, 'write'));
  }
  return ok({ args: ['--args', String(descriptor)], file, release: () => rmSync(file, { force: true }) });
}

export const carriedPrefix = 'mounts-';
