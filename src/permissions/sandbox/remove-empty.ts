import { chmodSync, rmdirSync, statSync } from '../../lib/exact-files.ts';
import { basename, dirname, join } from '../../lib/exact-paths.ts';
import { holdDirectory } from '../../lib/hold-directory.ts';
import { codeOf } from '../../lib/result.ts';

/**
 * Removes a directory that stood in for a missing one. It stays where it is not empty: then it belongs to whoever filled
 * it. A command may have closed the directory around it, which is opened for this moment.
 */
export function removeEmpty(path: string): void {
  const parent = holdDirectory(dirname(path));
  if (!parent.ok) return;
  const at = join(parent.value.path, basename(path));
  try {
    if (!isRefused(() => rmdirSync(at))) return;
    const { mode } = statSync(parent.value.path);
    chmodSync(parent.value.path, mode | 0o700);
    isRefused(() => rmdirSync(at));
    chmodSync(parent.value.path, mode & 0o7777);
  } catch {
    // Not ours.
  } finally {
    parent.value.close();
  }
}

function isRefused(change: () => void): boolean {
  try {
    change();
    return false;
  } catch (error) {
    return codeOf(error) === 'EACCES';
  }
}
