import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { formatStamp } from '../../lib/files/change-time.ts';
import { statEntry } from '../../lib/files/entry-at.ts';
import { basename, join } from '../../lib/files/exact-paths.ts';
import { readBeginning, readBounded } from '../../lib/files/read-bounded.ts';
import { listGitDirectories } from './directory.ts';
import { judgeIndex } from './index-faults.ts';
import type { GitData } from './objects.ts';
import { describeObstacle } from './obstacles.ts';
import { parsePacked } from './packed.ts';

/** A file of a git directory, with the data to write it again. */
export interface KeptFile {
  /** Missing for a file that is too large to be kept. */
  bytes?: Buffer;
  mode: number;
  uid: number;
  gid: number;
  /** While it is unchanged, the file is not read again. */
  stamp: string | undefined;
  /** For packed references: where each of them leads. */
  packed?: ReadonlyMap<string, string>;
}

/** The files that git itself never removes once they exist, and whose content it checks, by path. */
export type Essentials = ReadonlyMap<string, KeptFile>;

const maxBytes = 16 * 1024 * 1024;

/**
 * Reads those that git could read. `own` is the git directory of the checkout, `shared` has the packed references, and the
 * index of the main checkout.
 */
export function readEssentials({ own, shared }: GitData, before: Essentials = new Map()): Essentials {
  const found = new Map<string, KeptFile>();
  for (const path of listEssentials({ own, shared })) {
    const kept = readEssential(path, before.get(path));
    if (kept) found.set(path, kept);
  }
  return found;
}

/** Those that exist and that git cannot read. */
export function findUnreadable(data: GitData, essentials: Essentials): string[] {
  return listEssentials(data).filter((path) => !essentials.has(path) && statEntry(path) !== undefined);
}

function listEssentials(data: GitData): string[] {
  const indexes = listGitDirectories(data).map((directory) => join(directory, 'index'));
  return [join(data.shared, 'packed-refs'), ...indexes];
}

export function findPacked(essentials: Essentials, { shared }: GitData): ReadonlyMap<string, string> {
  return essentials.get(join(shared, 'packed-refs'))?.packed ?? none;
}

const none: ReadonlyMap<string, string> = new Map();

function readEssential(path: string, before: KeptFile | undefined): KeptFile | undefined {
  const stat = statEntry(path);
  if (!stat?.isFile() || describeObstacle(path, stat) !== undefined) return undefined;
  const stamp = formatStamp(stat);
  if (before && stamp !== undefined && before.stamp === stamp) return before;
  return basename(path) === 'index' ? readIndexFile(path, stat) : readPackedFile(path, stat);
}

function readPackedFile(path: string, stat: Stats): KeptFile | undefined {
  const bytes = readBytes(path, stat);
  if (!bytes) return undefined;
  const packed = parsePacked(bytes.toString('latin1'), stat.size > maxBytes);
  return packed && { ...describe(stat, bytes), packed };
}

function readIndexFile(path: string, stat: Stats): KeptFile | undefined {
  const bytes = readBytes(path, stat);
  const isSound = bytes && isSoundIndex(bytes, stat.size) && !judgeIndex(bytes).isMisleading;
  return isSound ? describe(stat, bytes) : undefined;
}

/** Only the beginning of a file that is too large, which is enough to detect nonsense. */
function readBytes(path: string, { size }: Stats): Buffer | undefined {
  const options = { refusesLinks: true };
  const read = size > maxBytes ? readBeginning(path, 4096, options) : readBounded(path, maxBytes, options);
  return read.state === 'read' ? read.bytes : undefined;
}

function describe(stat: Stats, bytes: Buffer): KeptFile {
  const { mode, uid, gid, size } = stat;
  return { mode, uid, gid, stamp: formatStamp(stat), ...(size > maxBytes ? {} : { bytes }) };
}

/** By its header and the hash at its end, which git can be configured to leave out. */
function isSoundIndex(bytes: Buffer, size: number): boolean {
  if (bytes.length < minIndexSize || bytes.toString('latin1', 0, 4) !== 'DIRC') return false;
  const format = bytes.readUInt32BE(4);
  if (format < 2 || format > 4) return false;
  return bytes.length < size || hashes.some(([name, length]) => endsWithHash(bytes, name, length));
}

/** A header, no entries, and a hash. */
const minIndexSize = 32;
const hashes = [
  ['sha1', 20],
  ['sha256', 32],
] as const;

function endsWithHash(bytes: Buffer, name: string, length: number): boolean {
  const end = bytes.subarray(-length);
  if (end.every((byte) => byte === 0)) return true;
  return createHash(name).update(bytes.subarray(0, -length)).digest().equals(end);
}
