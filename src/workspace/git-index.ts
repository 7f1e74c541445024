import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { goesUp } from './paths.ts';
import { findRoot } from './workspace.ts';

const maxBytes = 32 * 1024 * 1024;

/**
 * The files that git keeps of the repository around a directory, absolute, read from its index without running git.
 * Empty where there is no repository or nothing is kept yet; undefined where the index cannot be read. The last index is
 * remembered for as long as its time and size stay the same.
 */
export function openTrackedFiles(): (directory: string) => readonly string[] | undefined {
  const known = new Map<string, Known>();
  return (directory) => trackedFiles(directory, known);
}

interface Known {
  version: string;
  names: readonly string[] | undefined;
}

function trackedFiles(directory: string, known: Map<string, Known>): readonly string[] | undefined {
  const root = findRoot(directory);
  if (root === undefined) return [];
  const file = indexOf(root);
  if (file === undefined) return undefined;
  const stat = statSync(file, { throwIfNoEntry: false });
  if (!stat) return [];
  const version = `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
  const before = known.get(file);
  if (before?.version === version) return before.names;
  const entries = readIndex(file);
  // Git itself writes no such names.
  const isSound = entries?.every(({ name }) => !goesUp(name) && !name.startsWith('/'));
  const names = isSound ? entries?.map(({ name }) => join(root, name)) : undefined;
  known.clear();
  known.set(file, { version, names });
  return names;
}

function indexOf(root: string): string | undefined {
  const directory = findGitDirectory(root);
  return directory === undefined ? undefined : join(directory, 'index');
}

/** The git directory of a checkout. In a worktree `.git` is a file that names it. */
export function findGitDirectory(root: string): string | undefined {
  const place = join(root, '.git');
  try {
    if (statSync(place).isDirectory()) return place;
    const target = /^gitdir: (.+?)\s*$/.exec(readFileSync(place, 'utf8'))?.[1];
    return target === undefined ? undefined : resolve(dirname(place), target);
  } catch {
    return undefined;
  }
}

/** One file of an index, with what git saw of it when it last knew the file to be unchanged. */
export interface IndexEntry {
  /** From the top of the checkout. */
  name: string;
  /** The object that holds its content, in hexadecimal. */
  id: string;
  /** As git writes it: 0o100644, 0o100755, 0o120000 for a link, 0o160000 for a submodule. */
  mode: number;
  /** 0 unless it is in conflict. */
  stage: number;
  /** Seconds and nanoseconds; the size modulo 2 to the 32nd. */
  ctime: readonly [seconds: number, nanoseconds: number];
  mtime: readonly [seconds: number, nanoseconds: number];
  inode: number;
  size: number;
}

/** The entries of an index; undefined where it cannot be read. A format that is not known is not guessed at. */
export function readIndex(file: string): IndexEntry[] | undefined {
  let bytes: Buffer;
  try {
    if (statSync(file).size > maxBytes) return undefined;
    bytes = readFileSync(file);
  } catch {
    return undefined;
  }
  if (bytes.length < 12 || bytes.toString('latin1', 0, 4) !== 'DIRC') return undefined;
  const format = bytes.readUInt32BE(4);
  const count = bytes.readUInt32BE(8);
  if (format < 2 || format > 4) return undefined;
  const entries: IndexEntry[] = [];
  let at = 12;
  let before = '';
  for (let index = 0; index < count; index++) {
    const start = at;
    // Times, numbers and sizes, an id of 20 bytes, flags; longer flags where the third bit says so.
    if (at + 62 > bytes.length) return undefined;
    const flags = bytes.readUInt16BE(at + 60);
    at += flags & 0x4000 ? 64 : 62;
    let kept = '';
    if (format === 4) {
      const cut = readVariable(bytes, at);
      kept = before.slice(0, before.length - cut.value);
      at = cut.end;
    }
    const end = bytes.indexOf(0, at);
    if (end < 0) return undefined;
    before = kept + bytes.toString('latin1', at, end);
    // Ids of another length would move everything: the length of the name tells.
    if ((flags & 0xfff) !== Math.min(before.length, 0xfff)) return undefined;
    entries.push(entryAt(bytes, start, flags, Buffer.from(before, 'latin1').toString('utf8')));
    at = format === 4 ? end + 1 : start + Math.ceil((end + 1 - start) / 8) * 8;
  }
  // Of an index in two parts the other half is not here.
  return bytes.toString('latin1', at, at + 4) === 'link' ? undefined : entries;
}

function entryAt(bytes: Buffer, start: number, flags: number, name: string): IndexEntry {
  const field = (index: number) => bytes.readUInt32BE(start + 4 * index);
  return {
    name,
    id: bytes.toString('hex', start + 40, start + 60),
    mode: field(6),
    stage: (flags >> 12) & 3,
    ctime: [field(0), field(1)],
    mtime: [field(2), field(3)],
    inode: field(5),
    size: field(9),
  };
}

/** Git's own way to write a number: each byte but the last adds one. */
function readVariable(bytes: Buffer, start: number): { value: number; end: number } {
  let at = start;
  let byte = bytes[at++] ?? 0;
  let value = byte & 127;
  while (byte & 128 && at < bytes.length) {
    byte = bytes[at++] ?? 0;
    value = (value + 1) * 128 + (byte & 127);
  }
  return { value, end: at };
}
