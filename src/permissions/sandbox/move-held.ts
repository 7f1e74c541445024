import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { descriptorPath } from '../../lib/real-places.ts';
import { within } from './odd-names.ts';

/**
 * Moves a file or a tree to a new name on another disk. Other commands may run meanwhile, and put a link in the place of
 * a directory: each directory is held open while it is gone through, so that nothing is read or removed elsewhere.
 * Pipes and the like are only removed.
 */
export function moveHeld(from: Buffer, to: Buffer): void {
  const stat = lstatSync(from);
  if (stat.isDirectory()) {
    moveDirectory(from, to);
    rmdirSync(from);
    return;
  }
  if (stat.isSymbolicLink()) symlinkSync(readlinkSync(from, { encoding: 'buffer' }), to);
  else if (stat.isFile()) copyHeld(from, to);
  // Never more than one entry that is no directory.
  unlinkSync(from);
}

function moveDirectory(from: Buffer, to: Buffer): void {
  const held = openSync(from, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    const here = placeOf(held, from);
    mkdirSync(to, { mode: 0o700 });
    for (const name of readdirSync(here, { encoding: 'buffer' }))
      moveHeld(within(here, name), within(to, name));
    chmodSync(to, fstatSync(held).mode & 0o7777);
  } finally {
    closeSync(held);
  }
}

function copyHeld(from: Buffer, to: Buffer): void {
  const held = openSync(from, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (fstatSync(held).isFile()) copyFileSync(placeOf(held, from), to, constants.COPYFILE_EXCL);
  } finally {
    closeSync(held);
  }
}

/** Where there is no `/proc` only the name leads there. */
function placeOf(descriptor: number, name: Buffer): Buffer {
  return process.platform === 'linux' ? Buffer.from(descriptorPath(descriptor)) : name;
}
