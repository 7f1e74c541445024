import { closeSync, constants, fstatSync, ftruncateSync, readSync, type Stats, writeSync } from 'node:fs';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  unlinkSync,
} from '../../lib/files/exact-files.ts';
import { descriptorPath } from '../../lib/files/real-places.ts';
import { formatError } from '../../lib/result.ts';
import { setAside } from './left-sandboxes.ts';
import { statEntry } from './look.ts';

/** How much of the removed files is kept. It decreases as it is used. */
export interface CopyRoom {
  bytes: number;
  entries: number;
}

export interface CopyOptions {
  room: CopyRoom;
  /** Our own directory, where the original is on the same disk: a file that is too large to be copied is moved there. */
  movesFor?: string | undefined;
}

/** Paths longer than this, from the top, and directories deeper than this are not kept. */
const maxLength = { name: 2_000, depth: 60 };

/**
 * Copies a file or a tree to a new name. Another command may still hold what a command made, and can keep writing to it
 * wherever it is moved: the copy is out of its reach. Directories are held open while they are walked, so that a link put in
 * their place leads nowhere. Pipes and the like are left out. Returns what could not be kept.
 */
export function copyOut(from: string, to: string, options: CopyOptions): Lost[] {
  const lost: Lost[] = [];
  copyEntry({ from, to, name: '', depth: 0 }, options, (name, why) => lost.push({ name, why }));
  return lost;
}

export interface Lost {
  /** Relative to the top, whose name is empty. */
  name: string;
  why: string;
}

interface Step {
  from: string;
  to: string;
  /** Relative to the top, whose name is empty. */
  name: string;
  depth: number;
}

type Lose = (name: string, why: string) => void;

function copyEntry(step: Step, options: CopyOptions, lose: Lose): void {
  const { from, to, name } = step;
  const stat = statEntry(from);
  // Another process removed it: then there is nothing to keep.
  if (!stat) return;
  try {
    if (options.room.entries-- <= 0) lose(name, 'there are too many files');
    else if (stat.isDirectory()) copyDirectory(step, options, lose);
    else if (stat.isSymbolicLink()) symlinkSync(readlinkSync(from), to);
    else if (stat.isFile()) copyFile(step, options, lose);
  } catch (error) {
    lose(name, formatError(error));
  }
}

function copyDirectory({ from, to, name, depth }: Step, options: CopyOptions, lose: Lose): void {
  if (depth > maxLength.depth || name.length > maxLength.name) {
    lose(name, 'it is too deep');
    return;
  }
  const { held, stat } = openHeld(from, constants.O_DIRECTORY, 0o700);
  try {
    if (!stat.isDirectory()) return;
    const here = locateDescriptor(held, from);
    mkdirSync(to, { mode: 0o700 });
    for (const one of readdirSync(here)) {
      const inner = { from: `${here}/${one}`, to: `${to}/${one}`, name: join(name, one), depth: depth + 1 };
      // One by one they would fill a message, and memory.
      if (options.room.entries > 0) copyEntry(inner, options, lose);
      else {
        lose(inner.name, 'there are too many files; the rest is not kept either');
        break;
      }
    }
    // Readable to us: everything in our own directory must be countable and removable.
    chmodSync(to, (stat.mode & 0o777) | 0o700);
  } finally {
    closeSync(held);
  }
}

function join(name: string, one: string): string {
  return name === '' ? one : `${name}/${one}`;
}

function copyFile({ from, to, name }: Step, options: CopyOptions, lose: Lose): void {
  const { held, stat } = openHeld(from, 0, 0o400);
  try {
    if (!stat.isFile()) return;
    if (stat.size <= options.room.bytes) {
      options.room.bytes -= stat.size;
      copyBytes(held, to, stat);
    } else if (options.movesFor === undefined) lose(name, `it has ${stat.size} bytes`);
    else moveFile(from, to, options.movesFor);
  } finally {
    closeSync(held);
  }
}

/** A process that has it open can still write to it: but it is not lost, and it may be the user's. */
function moveFile(from: string, to: string, home: string): void {
  renameSync(from, to);
  // It was replaced meanwhile, so it came from a command.
  if (!lstatSync(to).isFile()) setAside(to, home);
}

const pieceBytes = 256 * 1024;
const zeros = Buffer.alloc(pieceBytes);

/** At most its size when it was opened. Zeros become a hole. A partial file is not kept. */
function copyBytes(held: number, to: string, { size, mode }: Stats): void {
  const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY;
  const copy = openSync(to, flags, 0o600);
  let isWhole = false;
  try {
    const piece = Buffer.alloc(Math.min(size, pieceBytes));
    let at = 0;
    while (at < size) {
      const count = readSync(held, piece, 0, Math.min(piece.length, size - at), at);
      if (count === 0) break;
      const bytes = piece.subarray(0, count);
      if (!bytes.equals(zeros.subarray(0, count))) writeAll(copy, bytes, at);
      at += count;
    }
    ftruncateSync(copy, at);
    chmodSync(to, mode & 0o777);
    isWhole = true;
  } finally {
    closeSync(copy);
    if (!isWhole) unlinkSync(to);
  }
}

function writeAll(file: number, bytes: Uint8Array, start: number): void {
  for (let done = 0; done < bytes.length; )
    done += writeSync(file, bytes, done, bytes.length - done, start + done);
}

/** Linux: a descriptor that names a place without opening it. */
const placeOnly = 0o10000000;

/** For reading; `needed` are the required permissions, which its creator may have removed. No link is followed. */
function openHeld(path: string, kind: number, needed: number): { held: number; stat: Stats } {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | kind;
  if (process.platform !== 'linux') {
    const held = openSync(path, flags | constants.O_NOFOLLOW);
    return { held, stat: fstatSync(held) };
  }
  const place = openSync(path, placeOnly | constants.O_NOFOLLOW | kind);
  try {
    const stat = fstatSync(place);
    const isOpenable = stat.isFile() || stat.isDirectory();
    if (!isOpenable) throw new Error('it is no longer a file');
    if ((stat.mode & needed) !== needed) chmodSync(descriptorPath(place), (stat.mode & 0o777) | needed);
    return { held: openSync(descriptorPath(place), flags), stat };
  } finally {
    closeSync(place);
  }
}

/** Without `/proc` only the name leads there. */
function locateDescriptor(descriptor: number, name: string): string {
  return process.platform === 'linux' ? descriptorPath(descriptor) : name;
}
