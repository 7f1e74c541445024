import { dirname } from 'node:path';
import { type Clock, timestamp } from '../../lib/clock.ts';
import { type Disk, systemDisk } from '../../lib/files/disk.ts';
import { ensurePrivateDirectory } from '../../lib/files/files.ts';
import { type JsonlWriter, openJsonlWriter, readJsonlTail } from '../../lib/jsonl/jsonl.ts';
import type { ChainPoint } from './line-chain.ts';

/**
 * A statement about a file that is only ever added to: the lines from `from` up to `bytes` have this hash. It stays true
 * whatever is added later, so it needs neither an order nor one writer.
 */
export interface Anchor extends ChainPoint {
  /** ISO 8601. */
  at: string;
  /** The file's name within its run. */
  file: string;
  /** Where the chain begins. */
  from: number;
  /** Bytes that were found in the file since the anchor before: the process did not see them being written. */
  found?: number;
  /** Where they are; earlier versions did not say. */
  foundAt?: readonly FilePart[];
}

/** The bytes of a file from and up to which something holds. */
export interface FilePart {
  from: number;
  to: number;
}

/** What processes found in a file when they began to write, from all of its anchors. Who wrote that is not known. */
export function listFound(anchors: readonly Anchor[]): FilePart[] {
  return anchors.flatMap(({ from, bytes, found = 0, foundAt }) => {
    if (found === 0) return [];
    if (Array.isArray(foundAt)) return foundAt;
    const before = anchors
      .filter((anchor) => anchor.from === from && anchor.bytes < bytes)
      .reduce((most, anchor) => Math.max(most, anchor.bytes), from);
    return [{ from: before, to: before + found }];
  });
}

/** Whether any of a record is such a part. */
export function isFound(found: readonly FilePart[], offset: number, length: number): boolean {
  return found.some(({ from, to }) => offset < to && offset + length > from);
}

/** The anchors of one run, in a log outside the run's directory. A write that fails is left to the next one. */
export class Anchors {
  readonly path: string;
  #latest: Map<string, Anchor> | undefined;
  #writer: JsonlWriter | undefined;
  readonly #clock: Clock;
  readonly #disk: Disk;
  readonly #mayWrite: () => boolean;

  /** `mayWrite`: false once the run is another process's. */
  constructor(path: string, clock: Clock, disk: Disk = systemDisk, mayWrite = () => true) {
    [this.path, this.#clock, this.#disk, this.#mayWrite] = [path, clock, disk, mayWrite];
  }

  /** The newest anchor of a file. */
  find(file: string): Anchor | undefined {
    this.#latest ??= this.#load();
    return this.#latest.get(file);
  }

  write(anchor: Omit<Anchor, 'at'>): void {
    const written = { at: timestamp(this.#clock), ...anchor };
    if (this.#mayWrite() && this.#open()?.append(written).ok) this.#latest?.set(anchor.file, written);
  }

  close(): void {
    this.#writer?.close();
    this.#writer = undefined;
  }

  #open(): JsonlWriter | undefined {
    if (this.#writer) return this.#writer;
    if (!ensurePrivateDirectory(dirname(this.path), this.#disk).ok) return undefined;
    const opened = openJsonlWriter(this.path, 'either', this.#disk);
    this.#writer = opened.ok ? opened.value : undefined;
    return this.#writer;
  }

  #load(): Map<string, Anchor> {
    return new Map(readAnchors(this.path, this.#disk).map((anchor) => [anchor.file, anchor]));
  }
}

/** All anchors of a log, oldest first. Lines that are not anchors are ignored: a kill can tear the last one. */
export function readAnchors(path: string, disk: Disk = systemDisk): Anchor[] {
  return readAnchorLog(path, disk).anchors;
}

/** The same, with how many lines are none. */
export function readAnchorLog(path: string, disk: Disk = systemDisk): { anchors: Anchor[]; damaged: number } {
  const read = readJsonlTail(path, () => false, maxReadBytes, undefined, disk);
  if (!read.ok) return { anchors: [], damaged: 0 };
  const { records, damage } = read.value;
  const anchors = records.flatMap((found) => (isAnchor(found) ? [found] : []));
  return { anchors, damaged: damage.length + records.length - anchors.length };
}

const maxReadBytes = 64 * 1024 * 1024;

function isAnchor(found: object): found is Anchor {
  const { at, file, from, bytes, lines, hash }: { [Key in keyof Anchor]?: unknown } = found;
  const counts = [from, bytes, lines];
  return (
    typeof at === 'string' &&
    typeof file === 'string' &&
    counts.every((count) => Number.isSafeInteger(count) && Number(count) >= 0) &&
    typeof hash === 'string' &&
    /^[0-9a-f]{64}$/.test(hash)
  );
}
