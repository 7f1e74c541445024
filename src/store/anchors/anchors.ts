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
  /** Bytes at the end of the part that were found in the file: the process did not see them being written. */
  found?: number;
}

/** The anchors of one run, in a log outside the run's directory. A write that fails is left to the next one. */
export class Anchors {
  readonly path: string;
  #latest: Map<string, Anchor> | undefined;
  #writer: JsonlWriter | undefined;
  readonly #clock: Clock;
  readonly #disk: Disk;

  constructor(path: string, clock: Clock, disk: Disk = systemDisk) {
    [this.path, this.#clock, this.#disk] = [path, clock, disk];
  }

  /** The newest anchor of a file. */
  find(file: string): Anchor | undefined {
    this.#latest ??= this.#load();
    return this.#latest.get(file);
  }

  write(anchor: Omit<Anchor, 'at'>): void {
    const written = { at: timestamp(this.#clock), ...anchor };
    if (this.#open()?.append(written).ok) this.#latest?.set(anchor.file, written);
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
  const read = readJsonlTail(path, () => false, maxReadBytes, undefined, disk);
  return read.ok ? read.value.records.flatMap((found) => (isAnchor(found) ? [found] : [])) : [];
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
