import { chmodSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { statEntry } from '../lib/files/entry-at.ts';
import { holdDirectory } from '../lib/files/hold-directory.ts';
import { permissionBits } from './files/file-look.ts';

const [look, write] = [0o500, 0o300];

/**
 * Opens directories that a command closed to their owner, so that a file can be restored: those above it for reading, and the
 * one in which an entry is made or removed for writing. Returns whether there were any: then an earlier look may be
 * incomplete.
 */
export function openAbove(path: string): boolean {
  let isAny = false;
  for (let [closed] = findToOpen(path); closed !== undefined; [closed] = findToOpen(path)) {
    if (!open(closed)) break;
    isAny = true;
  }
  return isAny;
}

/** Our own directories above a file that we cannot read, as far as they are visible. */
export function findClosedAbove(path: string): string[] {
  return findToOpen(path, look);
}

/** `needed` applies to the innermost existing directory; the others are only passed through. */
function findToOpen(path: string, needed = look | write): string[] {
  const user = process.getuid?.();
  if (user === 0) return [];
  const closed: string[] = [];
  let wanted = needed;
  for (let up = dirname(path); up !== dirname(up); up = dirname(up)) {
    const stat = statEntry(up);
    if (!stat?.isDirectory()) continue;
    if (stat.uid === user && (stat.mode & wanted) !== wanted) closed.unshift(up);
    wanted = look;
  }
  return closed;
}

function open(directory: string): boolean {
  const held = holdDirectory(directory);
  if (!held.ok) return false;
  try {
    chmodSync(held.value.path, (statSync(held.value.path).mode & permissionBits) | look | write);
    return true;
  } catch {
    return false;
  } finally {
    held.value.close();
  }
}
