import { accessSync, constants, readlinkSync } from 'node:fs';
import { statEntryPrecisely } from '../../lib/files/entry-at.ts';

/**
 * File names in git are bytes. Here they are strings with one character per byte, so that a name that is not valid text is
 * neither lost nor mistaken for another.
 */
export type BytePath = string;

export function encodeBytePath(text: string): BytePath {
  return Buffer.from(text).toString('latin1');
}

/** For system calls. */
export function place(path: BytePath): Buffer {
  return Buffer.from(path, 'latin1');
}

/** For display. */
export function readable(path: BytePath): string {
  return Buffer.from(path, 'latin1').toString('utf8');
}

export function getParentPath(path: BytePath): BytePath {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? '' : path.slice(0, slash);
}

export type TreeEntryKind = 'file' | 'link' | 'directory' | 'other';

export function readEntryKind(path: BytePath): TreeEntryKind | undefined {
  const found = statEntryPrecisely(place(path));
  if (!found) return undefined;
  if (found.isFile()) return 'file';
  if (found.isSymbolicLink()) return 'link';
  return found.isDirectory() ? 'directory' : 'other';
}

/**
 * Identifies a file and changes when the file is written, but not when it is renamed. A link is identified by its target,
 * because it is created again rather than moved.
 */
export function readFileIdentity(path: BytePath): string | undefined {
  const found = statEntryPrecisely(place(path));
  if (!found) return undefined;
  if (found.isDirectory()) return 'directory';
  if (found.isSymbolicLink()) return `link ${readlinkSync(place(path), { encoding: 'latin1' })}`;
  return `file ${found.ino} ${found.size} ${found.mtimeNs} ${found.mode & 0o111n}`;
}

export function readDevice(path: BytePath): bigint | undefined {
  return statEntryPrecisely(place(path))?.dev;
}

/** Whether entries can be created and removed in a directory. */
export function isWritable(directory: BytePath): boolean {
  try {
    accessSync(place(directory), constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
