import { type BigIntStats, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { formatStamp } from '../../lib/files/change-time.ts';
import { statEntry } from '../../lib/files/entry-at.ts';
import { readBounded } from '../../lib/files/read-bounded.ts';
import { goesUp } from '../paths.ts';
import { findRoot } from '../workspace.ts';
import { findGitDirectory } from './directory.ts';

const maxBytes = 32 * 1024 * 1024;

/**
 * The tracked files of the repository around a directory, absolute, read from its index without running git. Empty where
 * there is no repository or nothing is tracked yet; undefined where the index cannot be read. The last index is cached until
 * it changes.
 */
export function openTrackedFiles(): TrackedFiles {
  const known = new Map<string, Known>();
  const plain = new Map<string, string>();
  return {
    files: (directory) => lookAtIndex(directory, known).names,
    submodules: (directory) => {
      const root = findRoot(directory);
      const own = root === undefined ? undefined : findGitDirectory(root);
      if (own !== undefined && hasNoSubmodule(own, plain)) return [];
      return listSubmodules(lookAtIndex(directory, known));
    },
    isSparse: (directory) => lookAtIndex(directory, known).folded.length > 0,
  };
}

export interface TrackedFiles {
  files(directory: string): readonly string[] | undefined;
  /** Directories that are checkouts of other repositories. */
  submodules(directory: string): readonly string[] | undefined;
  /** Whether entries stand for whole directories: to list what is in them, git makes trees of the rest and stores those. */
  isSparse(directory: string): boolean;
}

interface Known {
  readonly version: string | undefined;
  readonly names: readonly string[] | undefined;
  readonly submodules: readonly string[] | undefined;
  /** Directories that represent everything in them, including submodules. */
  readonly folded: readonly string[];
}

/** A missing directory, such as one in a sparse index, contains none. */
function listSubmodules({ submodules, folded }: Omit<Known, 'version'>): readonly string[] | undefined {
  return folded.some((path) => statEntry(path) !== undefined) ? undefined : submodules;
}

function lookAtIndex(directory: string, known: Map<string, Known>): Omit<Known, 'version'> {
  const root = findRoot(directory);
  if (root === undefined) return nothing;
  const file = locateIndex(root);
  if (file === undefined) return unreadable;
  const stat = statTarget(file);
  if (stat === 'missing') return nothing;
  const version = stat && formatStamp(stat);
  const before = known.get(file);
  if (version !== undefined && before?.version === version) return before;
  const found = describe(readAll(file), root);
  known.clear();
  known.set(file, { version, ...found });
  return found;
}

function describe(entries: readonly IndexEntry[] | undefined, root: string): Omit<Known, 'version'> {
  // Git itself writes no such names.
  const isSound = entries?.every(({ name }) => !goesUp(name) && !name.startsWith('/'));
  if (!entries || !isSound) return unreadable;
  const absolute = (some: readonly IndexEntry[]) => some.map(({ name }) => join(root, name));
  const folded = absolute(entries.filter((entry) => !isOneFile(entry)));
  return {
    names: folded.length === 0 ? absolute(entries) : undefined,
    submodules: absolute(entries.filter(({ mode }) => mode === submoduleMode)),
    folded,
  };
}

/**
 * Looks for signs of a submodule in all files of an index: hardly any repository has one, and reading the entries takes
 * longer. `plain` holds the files that had none, with their state then.
 */
function hasNoSubmodule(own: string, plain: Map<string, string>): boolean {
  try {
    const names = readdirSync(own).filter((name) => name === 'index' || name.startsWith('sharedindex.'));
    return names.every((name) => {
      const file = join(own, name);
      const version = formatStamp(statSync(file, { bigint: true }));
      if (version !== undefined && plain.get(file) === version) return true;
      const read = readBounded(file, maxBytes);
      const isPlain = read.state === 'read' && !signs.some((sign) => read.bytes.includes(sign));
      if (isPlain && version !== undefined) plain.set(file, version);
      return isPlain;
    });
  } catch {
    return false;
  }
}

/** The mode of a submodule, and the extension of an index in which a directory may represent one. */
const signs = [Buffer.from([0, 0, 0xe0, 0]), Buffer.from('sdir')];

const nothing = { names: [], submodules: [], folded: [] };
const unreadable = { names: undefined, submodules: undefined, folded: [] };
const submoduleMode = 0o160000;

/** Undefined where that is not visible. */
function statTarget(file: string): BigIntStats | 'missing' | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false, bigint: true }) ?? 'missing';
  } catch {
    return undefined;
  }
}

function locateIndex(root: string): string | undefined {
  const directory = findGitDirectory(root);
  return directory === undefined ? undefined : join(directory, 'index');
}

/** One file of an index. */
export interface IndexEntry {
  /** From the top of the checkout. */
  name: string;
  /** The object that holds its content, in hexadecimal. */
  id: string;
  /** As git writes it: 0o100644, 0o100755, 0o120000 for a link, 0o160000 for a submodule. */
  mode: number;
  /** 0 unless it is in conflict. */
  stage: number;
  /** Git's record of the file on disk. Any command may have written that, so it decides nothing but an order and what agents are told. */
  seen?: { size: number; mtimeMs: number; ctimeSeconds: number };
  /** Left out of the work tree, as in a sparse checkout. */
  isLeftOut?: true;
  /** Without content (`git add --intent-to-add`): a commit leaves it out. */
  isOnlyNamed?: true;
}

/** The files of an index; undefined where it cannot be read. An unknown format is not guessed at. */
export function readIndex(file: string): IndexEntry[] | undefined {
  const read = readBounded(file, maxBytes);
  return read.state === 'read' ? parseIndex(read.bytes) : undefined;
}

/** With the directories of a sparse index. */
function readAll(file: string): IndexEntry[] | undefined {
  const read = readBounded(file, maxBytes);
  return read.state === 'read' ? parseAll(read.bytes) : undefined;
}

/** The same for the bytes of an index. */
export function parseIndex(bytes: Buffer): IndexEntry[] | undefined {
  const entries = parseAll(bytes);
  return entries?.every(isOneFile) ? entries : undefined;
}

function parseAll(bytes: Buffer): IndexEntry[] | undefined {
  const parts = parseParts(bytes);
  return parts?.extensions.every(({ name }) => isKnownExtension(name)) ? parts.entries : undefined;
}

/** The parts of an index, whatever its extensions mean for the entries. */
export interface IndexParts {
  entries: IndexEntry[];
  extensions: { name: string; bytes: Buffer }[];
  /** In bytes. */
  idLength: number;
}

type DecodeName = (latin1: string) => string;

const asText: DecodeName = (latin1) => Buffer.from(latin1, 'latin1').toString('utf8');

/** Undefined for bytes that git would not read either. */
export function parseParts(bytes: Buffer, decode = asText): IndexParts | undefined {
  if (bytes.length < 12 || bytes.toString('latin1', 0, 4) !== 'DIRC') return undefined;
  const format = bytes.readUInt32BE(4);
  const count = bytes.readUInt32BE(8);
  if (format < 2 || format > 4) return undefined;
  return readParts(bytes, format, count, 20, decode) ?? readParts(bytes, format, count, 32, decode);
}

/** Ids of a different length would shift everything: the length of each name shows it. */
function readParts(
  bytes: Buffer,
  format: number,
  count: number,
  idLength: number,
  decode: DecodeName,
): IndexParts | undefined {
  const entries: IndexEntry[] = [];
  let at = 12;
  let before = '';
  for (let index = 0; index < count; index++) {
    const start = at;
    // Times, numbers and sizes, an id, flags; longer flags where the second bit says so.
    if (at + idLength + 42 > bytes.length) return undefined;
    const flags = bytes.readUInt16BE(at + idLength + 40);
    at += idLength + (flags & 0x4000 ? 44 : 42);
    let kept = '';
    if (format === 4) {
      const cut = readVariable(bytes, at);
      kept = before.slice(0, before.length - cut.value);
      at = cut.end;
    }
    const end = bytes.indexOf(0, at);
    if (end < 0) return undefined;
    before = kept + bytes.toString('latin1', at, end);
    if ((flags & 0xfff) !== Math.min(before.length, 0xfff)) return undefined;
    entries.push(readIndexEntry(bytes, start, idLength, flags, decode(before)));
    at = format === 4 ? end + 1 : start + Math.ceil((end + 1 - start) / 8) * 8;
  }
  const extensions = readExtensions(bytes, at, bytes.length - idLength);
  return extensions && { entries, extensions, idLength };
}

/** In a sparse index one entry represents a directory with everything in it. */
function isOneFile({ name, mode }: IndexEntry): boolean {
  return fileModes.has(mode) && !name.endsWith('/');
}

/** Files, links and submodules, as they are written. */
const fileModes: ReadonlySet<number> = new Set([0o100644, 0o100755, 0o120000, submoduleMode]);

/** Everything after the entries, up to the checksum. */
function readExtensions(bytes: Buffer, start: number, end: number): IndexParts['extensions'] | undefined {
  const extensions: IndexParts['extensions'] = [];
  let at = start;
  while (at + 8 <= end) {
    const name = bytes.toString('latin1', at, at + 4);
    const after = at + 8 + bytes.readUInt32BE(at + 4);
    extensions.push({ name, bytes: bytes.subarray(at + 8, after) });
    at = after;
  }
  return at === end ? extensions : undefined;
}

/**
 * Whether an extension may be skipped. Those that begin with a small letter change the meaning of the entries: a split index,
 * whose other half is not here, or a sparse one, which its entries show.
 */
function isKnownExtension(name: string): boolean {
  return /^[A-Z]/.test(name) || name === 'sdir';
}

function readIndexEntry(
  bytes: Buffer,
  start: number,
  idLength: number,
  flags: number,
  name: string,
): IndexEntry {
  const more = flags & 0x4000 ? bytes.readUInt16BE(start + idLength + 42) : 0;
  return {
    name,
    id: bytes.toString('hex', start + 40, start + 40 + idLength),
    mode: bytes.readUInt32BE(start + 24),
    stage: (flags >> 12) & 3,
    ...(more & 0x4000 ? { isLeftOut: true } : {}),
    ...(more & 0x2000 ? { isOnlyNamed: true } : {}),
    seen: {
      size: bytes.readUInt32BE(start + 36),
      mtimeMs: bytes.readUInt32BE(start + 8) * 1000 + bytes.readUInt32BE(start + 12) / 1_000_000,
      ctimeSeconds: bytes.readUInt32BE(start),
    },
  };
}

/** Git's own number format: each byte but the last adds one. */
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
