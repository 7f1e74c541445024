import { closeSync, constants, fstatSync } from 'node:fs';
import {
  chmodSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
} from '../../lib/exact-files.ts';
import { descriptorPath } from '../../lib/real-places.ts';

/**
 * Moves a file or a tree to a new name on another disk. Other commands may run meanwhile, and put a link in the place of
 * a directory: each directory is held open while it is gone through, so that nothing is read or removed elsewhere.
 * Pipes and the like are only removed.
 */
export function moveHeld(from: string, to: string): void {
  const stat = lstatSync(from);
  if (stat.isDirectory()) {
    moveDirectory(from, to);
    rmdirSync(from);
    return;
  }
  if (stat.isSymbolicLink()) symlinkSync(readlinkSync(from), to);
  else if (stat.isFile()) copyHeld(from, to);
  // Never more than one entry that is no directory.
  unlinkSync(from);
}

function moveDirectory(from: string, to: string): void {
  const held = openSync(from, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    const here = placeOf(held, from);
    mkdirSync(to, { mode: 0o700 });
    for (const name of readdirSync(here)) moveHeld(`${here}/${name}`, `${to}/${name}`);
    chmodSync(to, fstatSync(held).mode & 0o7777);
  } finally {
    closeSync(held);
  }
}

function copyHeld(from: string, to: string): void {
  const held = openSync(from, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (fstatSync(held).isFile()) copyFileSync(placeOf(held, from), to, constants.COPYFILE_EXCL);
  } finally {
    closeSync(held);
  }
}

/** Where there is no `/proc` only the name leads there. */
function placeOf(descriptor: number, name: string): string {
  return process.platform === 'linux' ? descriptorPath(descriptor) : name;
}
