import { accessSync, constants, readlinkSync } from 'node:fs';
import { statEntryPrecisely } from '../lib/files/entry-at.ts';

/**
 * Names of files in git are bytes. Here they are strings with one character for each byte, so that a name that is no
 * text is neither lost nor mistaken for another.
 */
export type BytePath = string;

export function encodeBytePath(text: string): BytePath {
  return Buffer.from(text).toString('latin1');
}

/** For the system. */
export function place(path: BytePath): Buffer {
  return Buffer.from(path, 'latin1');
}

/** For people. */
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
 * Tells one file from another, and from itself once it was written to, whatever it is called by then. A link is what it
 * says: it is made anew rather than moved.
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

/** Whether names can be made and removed in a directory. */
export function isWritable(directory: BytePath): boolean {
  try {
    accessSync(place(directory), constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
