import { afterLineEnd, type FilterStep, type UnpackingBudget, unpack } from './pdf-filters.ts';
import {
  latin,
  type PdfDictionary,
  PdfKeyword,
  PdfName,
  PdfReader,
  PdfReference,
  type PdfValue,
} from './pdf-syntax.ts';
import type { PdfWork } from './pdf-work.ts';

/** A dictionary with data behind it, still packed. */
export class PdfStream {
  constructor(
    readonly dictionary: PdfDictionary,
    readonly packed: Uint8Array,
  ) {}
}

export type PdfObject = PdfValue | PdfStream;

/**
 * The objects of a file. They are found by looking through it from its beginning, not by its table, which broken and
 * patched files have wrong: of two objects with one number the later counts, as with a table.
 */
export class PdfObjects {
  readonly #objects = new Map<number, PdfObject>();
  readonly #budget: UnpackingBudget = { left: 128 * 1024 * 1024 };
  #root: PdfValue | undefined;
  isEncrypted = false;

  static async load(bytes: Uint8Array, work: PdfWork): Promise<PdfObjects> {
    const objects = new PdfObjects();
    const reader = new PdfReader(bytes);
    const text = latin(bytes);
    const starts = /(\d{1,10})[\s\0]{1,10}\d{1,5}[\s\0]{1,10}obj|\btrailer\b/g;
    for (let found = starts.exec(text); found; found = starts.exec(text)) {
      reader.at = starts.lastIndex;
      if (found[1] === undefined) objects.#noteTrailer(reader.read());
      else objects.#readObject(Number(found[1]), reader);
      // Never back, whatever was read.
      starts.lastIndex = Math.max(starts.lastIndex, reader.at);
      await work.pause();
    }
    return objects;
  }

  /** Follows references to what they mean; null where that is missing. */
  resolve(value: PdfObject | undefined): PdfObject {
    let current = value ?? null;
    for (let hops = 0; current instanceof PdfReference && hops < 20; hops++)
      current = this.#objects.get(current.number) ?? null;
    return current instanceof PdfReference ? null : current;
  }

  dictionary(value: PdfObject | undefined): PdfDictionary {
    const found = this.resolve(value);
    if (found instanceof PdfStream) return found.dictionary;
    return found instanceof Map ? found : new Map();
  }

  list(value: PdfObject | undefined): PdfValue[] {
    const found = this.resolve(value);
    return Array.isArray(found) ? found : [];
  }

  number(value: PdfObject | undefined, otherwise: number): number {
    const found = this.resolve(value);
    return typeof found === 'number' && Number.isFinite(found) ? found : otherwise;
  }

  name(value: PdfObject | undefined): string {
    const found = this.resolve(value);
    return found instanceof PdfName ? found.text : '';
  }

  numbers(value: PdfObject | undefined): number[] {
    return this.list(value).map((item) => this.number(item, 0));
  }

  /** The data of a stream; undefined when it is none, or cannot be unpacked. */
  data(value: PdfObject | undefined): Uint8Array | undefined {
    const stream = this.resolve(value);
    return stream instanceof PdfStream ? unpack(stream.packed, this.#steps(stream), this.#budget) : undefined;
  }

  get isUsedUp(): boolean {
    return this.#budget.left <= 0;
  }

  /** The catalogue: what the file says it is, else whatever looks like one. */
  root(): PdfDictionary {
    const named = this.dictionary(this.#root);
    if (named.has('Pages')) return named;
    for (const object of this.#objects.values())
      if (object instanceof Map && this.name(object.get('Type')) === 'Catalog') return object;
    return named;
  }

  *dictionaries(): Generator<PdfDictionary> {
    for (const object of this.#objects.values()) if (object instanceof Map) yield object;
  }

  #readObject(number: number, reader: PdfReader): void {
    const value = reader.read();
    if (value === undefined || value instanceof PdfKeyword) return;
    const stream = value instanceof Map ? this.#readStream(value, reader) : undefined;
    this.#objects.set(number, stream ?? value);
    if (!stream) return;
    const type = this.name(stream.dictionary.get('Type'));
    if (type === 'ObjStm') this.#readCompressed(stream);
    if (type === 'XRef') this.#noteTrailer(stream.dictionary);
  }

  #readStream(dictionary: PdfDictionary, reader: PdfReader): PdfStream | undefined {
    reader.skipSpace();
    const { bytes, at } = reader;
    if (latin(bytes.subarray(at, at + 6)) !== 'stream') return undefined;
    const start = afterLineEnd(bytes, at + 6);
    const told = start + this.number(dictionary.get('Length'), -1);
    const isRight = told >= start && /^\s{0,5}endstream/.test(latin(bytes.subarray(told, told + 14)));
    const found = isRight
      ? told
      : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf('endstream', start);
    const end = found === -1 ? bytes.length : found;
    reader.at = end;
    return new PdfStream(dictionary, bytes.subarray(start, end));
  }

  /** Objects that are packed together: first their numbers and places, then they themselves. */
  #readCompressed(stream: PdfStream): void {
    const data = this.data(stream);
    if (!data) return;
    const first = this.number(stream.dictionary.get('First'), 0);
    const count = Math.min(this.number(stream.dictionary.get('N'), 0), data.length);
    const header = new PdfReader(data, 0, false);
    for (let index = 0; index < count; index++) {
      const [number, place] = [header.read(), header.read()];
      if (typeof number !== 'number' || typeof place !== 'number') return;
      const value = new PdfReader(data, first + place).read();
      if (value !== undefined && !(value instanceof PdfKeyword)) this.#objects.set(number, value);
    }
  }

  #noteTrailer(trailer: PdfValue | undefined): void {
    if (!(trailer instanceof Map)) return;
    this.#root = trailer.get('Root') ?? this.#root;
    this.isEncrypted ||= (trailer.get('Encrypt') ?? null) !== null;
  }

  #steps({ dictionary }: PdfStream): FilterStep[] {
    const filter = this.resolve(dictionary.get('Filter') ?? dictionary.get('F'));
    const names = Array.isArray(filter) ? filter : filter === null ? [] : [filter];
    const given = this.resolve(dictionary.get('DecodeParms') ?? dictionary.get('DP'));
    const parameters = Array.isArray(given) ? given : [given];
    return names.map((name, index) => ({
      name: this.name(name),
      parameters: new Map(
        [...this.dictionary(parameters[index])].map(([key, value]) => [key, this.number(value, 0)]),
      ),
    }));
  }
}
