import { basename, dirname, join } from 'node:path';
import { describeFileError, writeAtomic } from '../lib/files/atomic.ts';
import { holdNewDirectory } from '../lib/files/hold-directory.ts';
import { readReal } from '../lib/files/open-real.ts';
import type { RealPath } from '../lib/files/real-places.ts';
import { fail, failure, ok, type Result, usage } from '../lib/result.ts';
import { isWithin } from '../workspace/paths.ts';
import { resolveRealPath } from '../workspace/real-path.ts';

/** The repository's memory file that a dream is about, as it is now. */
export interface DreamTarget {
  real: RealPath;
  /** Empty if the file does not exist yet. */
  text: string;
  mode: number;
}

const maxTargetSize = 1024 * 1024;

/** `target` is relative to the root, and must stay inside it. */
export function readTarget(root: string, target: string): Result<DreamTarget> {
  const path = join(root, target);
  const real = resolveRealPath(path);
  if (!isWithin(path, root) || !isWithin(real, resolveRealPath(root)))
    return usage(`${target} points outside ${root}; nothing was changed.`);
  const found = readReal(real, maxTargetSize);
  if (found.state === 'missing') return ok({ real, text: '', mode: 0o644 });
  if (found.state === 'moved') return failure(`${path} changed while it was opened. Try again.`);
  if (found.state === 'failed') return fail(describeFileError(found.error, path, 'read'));
  const { stat, bytes } = found.value;
  if (!bytes || stat.size > maxTargetSize)
    return failure(`${path}: expected a text file of at most ${maxTargetSize} bytes.`);
  return ok({ real, text: bytes.toString('utf8'), mode: stat.mode & 0o777 });
}

/** In the directory that was checked, or not at all. */
export function writeTarget({ real, mode }: DreamTarget, text: string): Result<void> {
  const folder = holdNewDirectory(dirname(real));
  if (folder.state === 'failed') return fail(describeFileError(folder.error, real, 'write'));
  if (folder.state !== 'found') return failure(`${real} changed while it was opened. Try again.`);
  try {
    return writeAtomic(join(folder.value.path, basename(real)), text, mode);
  } finally {
    folder.value.close();
  }
}
