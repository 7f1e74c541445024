import { dirname } from 'node:path';
import { fail, formatError, getErrorCode, ok, type Problem, type Result } from '../result.ts';
import { type Disk, systemDisk } from './disk.ts';

/** A system error in plain words: what could not be done to which path, why, and what to do next. */
export function describeFileError(error: unknown, path: string, verb: string): Problem {
  const code = getErrorCode(error);
  const hint = explainCode(code)?.[1];
  const message = `Cannot ${verb} ${path}: ${describeFileReason(error)}.`;
  const passing = code !== undefined && passingCodes.has(code);
  return { kind: 'failure', message, ...(hint ? { hint } : {}), ...(passing ? { passing } : {}) };
}

/** Only why, in plain words: `permission denied (EACCES)`. */
export function describeFileReason(error: unknown): string {
  const code = getErrorCode(error);
  const known = explainCode(code);
  return known ? `${known[0]} (${code})` : formatError(error);
}

const passingCodes: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE']);

/** Creates a directory that only its owner may enter. An existing one of ours is closed to others. */
export function ensurePrivateDirectory(path: string, disk: Disk = systemDisk): Result<void> {
  try {
    if (disk.makeDirectory(path)) return ok(undefined);
    const { uid, mode } = disk.stat(path) ?? { uid: undefined, mode: 0 };
    // A sticky directory such as /tmp is shared by design, also when root made it.
    const ours = uid === process.getuid?.() && (mode & 0o1000) === 0;
    if (ours && (mode & 0o077) !== 0) disk.chmod(path, 0o700);
    return ok(undefined);
  } catch (error) {
    return fail(describeFileError(error, path, 'create the directory'));
  }
}

/** Makes a rename or a new name in a directory survive a power cut. Not every file system can; that is not an error. */
export function syncParentDirectory(path: string, disk: Disk = systemDisk): void {
  try {
    disk.syncDirectory(dirname(path));
  } catch {}
}

function explainCode(code: string | undefined): [reason: string, hint: string] | undefined {
  switch (code) {
    case 'ENOSPC':
      return ['the disk is full', 'Free some space there and try again.'];
    case 'EDQUOT':
      return ['your disk quota is used up', 'Free some space in your quota and try again.'];
    case 'EFBIG':
      return [
        'the file would be larger than allowed',
        'Raise the file-size limit (ulimit -f) and try again.',
      ];
    case 'EROFS':
      return ['the file system is read-only', 'Use a directory on a writable file system.'];
    case 'EACCES':
    case 'EPERM':
      return ['permission denied', 'Check who owns it and its permissions.'];
    case 'ENOENT':
      return ['no such file or directory', 'Check the path.'];
    case 'EEXIST':
      return ['a file or directory with that name already exists', 'Choose another name or move it away.'];
    case 'ENOTDIR':
      return ['a part of the path is a file, not a directory', 'Check the path.'];
    case 'EISDIR':
      return ['it is a directory, not a file', 'Check the path.'];
    case 'ELOOP':
      return ['the path contains symbolic links, which are not followed here', 'Use the target of the link.'];
    case 'ENAMETOOLONG':
      return ['the name is too long', 'Use a shorter name.'];
    case 'EMFILE':
    case 'ENFILE':
      return ['too many files are open', 'Close some programs or raise the limit (ulimit -n).'];
    case 'ENXIO':
      return ['it is not a regular file', 'Move it away and try again.'];
    case 'EIO':
      return ['the disk reported an error', 'Check the disk.'];
    default:
      return undefined;
  }
}
