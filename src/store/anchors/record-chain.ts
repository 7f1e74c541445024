import type { DiskFile } from '../../lib/files/disk.ts';
import type { AppendWatcher } from '../../lib/jsonl/jsonl.ts';
import type { Anchors, FilePart } from './anchors.ts';
import { LineChain } from './line-chain.ts';

/** The name under which the lead's transcript is anchored. Those of agents have the name of their file. */
export const leadFile = 'transcript.jsonl';

export function nameAgentFile(agentId: string): string {
  return `agent-${agentId}.jsonl`;
}

/** Of a file without an anchor, up to this much is read to begin its chain at the start. */
const maxAdoptedBytes = 8 * 1024 * 1024;
const chunkBytes = 256 * 1024;

/**
 * Chains the records of one file as they are written, and states the result as an anchor. Only what is known to be in the file is
 * anchored: where another process has written in between, the bytes are read.
 */
export class RecordChain implements AppendWatcher {
  readonly #anchors: Anchors;
  readonly #file: string;
  #opened: DiskFile | undefined;
  #from = 0;
  /** Up to where the file is known. */
  #known: LineChain | undefined;
  /** With the line that was written last, which another process's line may precede. */
  #next: LineChain | undefined;
  /** What it found in the file and did not write itself, since the last anchor. */
  #found: FilePart[] = [];
  #anchored = 0;

  constructor(anchors: Anchors, file: string) {
    this.#anchors = anchors;
    this.#file = file;
  }

  appended(file: DiskFile, line: Uint8Array, before: number): void {
    this.#opened = file;
    this.#guard(() => {
      const known = this.#settle(file, before);
      this.#next = known.copy();
      this.#next.push(line);
    });
  }

  /** Anchors all that the file holds. */
  anchor(): void {
    const file = this.#opened;
    if (!file || !this.#known) return;
    this.#guard(() => {
      const { bytes, lines, hash } = this.#settle(file, file.stat().size).point;
      if (bytes <= this.#anchored) return;
      const found = this.#found.reduce((sum, { from, to }) => sum + to - from, 0);
      const parts = found > 0 ? { found, foundAt: this.#found } : {};
      this.#anchors.write({ file: this.#file, from: this.#from, bytes, lines, hash, ...parts });
      [this.#anchored, this.#found] = [bytes, []];
    });
  }

  closing(): void {
    this.anchor();
    this.#opened = undefined;
  }

  /** The chain of everything up to `size`, the file's current size. */
  #settle(file: DiskFile, size: number): LineChain {
    this.#known ??= this.#begin(size);
    if (this.#next?.end === size) this.#known = this.#next;
    this.#next = undefined;
    if (this.#known.end > size) this.#known = this.#begin(size);
    if (this.#known.end < size) this.#read(file, this.#known, size);
    return this.#known;
  }

  /** From the newest anchor, which says how much of the file need not be read again. */
  #begin(size: number): LineChain {
    const last = size > 0 ? this.#anchors.find(this.#file) : undefined;
    const isUsable = last !== undefined && last.bytes <= size;
    this.#from = isUsable ? last.from : size > maxAdoptedBytes ? size : 0;
    this.#anchored = isUsable ? last.bytes : 0;
    return new LineChain(isUsable ? last : this.#from);
  }

  #read(file: DiskFile, chain: LineChain, size: number): void {
    this.#found.push({ from: chain.end, to: size });
    const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, size - chain.end));
    while (chain.end < size) {
      const read = file.read(buffer.subarray(0, Math.min(buffer.length, size - chain.end)), chain.end);
      if (read === 0) return;
      chain.push(buffer.subarray(0, read));
    }
  }

  /** A disk that cannot be read costs the anchor, not the record. */
  #guard(work: () => void): void {
    try {
      work();
    } catch {
      [this.#known, this.#next] = [undefined, undefined];
    }
  }
}
