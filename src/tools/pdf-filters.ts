import { constants, inflateRawSync, inflateSync } from 'node:zlib';
import { codeOf } from '../lib/result.ts';
import { isSpace } from './pdf-syntax.ts';

/** What may still be unpacked: a few kilobytes can hold gigabytes. */
export interface UnpackingBudget {
  left: number;
}

export const maxOfStream = 16 * 1024 * 1024;

export interface FilterStep {
  name: string;
  parameters: ReadonlyMap<string, number>;
}

/** Undefined where a filter is not for text (images), the data is broken, or the budget is used up. */
export function unpack(
  bytes: Uint8Array,
  steps: readonly FilterStep[],
  budget: UnpackingBudget,
): Uint8Array | undefined {
  let data: Uint8Array | undefined = bytes;
  for (const { name, parameters } of steps.slice(0, 6)) {
    const limit = Math.min(maxOfStream, budget.left);
    const filter = filters.get(name);
    data = filter && limit > 0 ? filter(data, limit, parameters) : undefined;
    if (data === tooMuch) budget.left = 0;
    if (data === undefined || data === tooMuch) return undefined;
    budget.left -= data.length;
    if ((parameters.get('Predictor') ?? 1) >= 10) data = undoPrediction(data, parameters);
  }
  return data;
}

/** A sign, not data. */
const tooMuch = new Uint8Array();

type Filter = (
  bytes: Uint8Array,
  limit: number,
  parameters: ReadonlyMap<string, number>,
) => Uint8Array | undefined;

const filters: ReadonlyMap<string, Filter> = new Map<string, Filter>([
  ['FlateDecode', inflate],
  ['Fl', inflate],
  ['LZWDecode', unpackLzw],
  ['LZW', unpackLzw],
  ['ASCII85Decode', readBase85],
  ['A85', readBase85],
  ['ASCIIHexDecode', readHexadecimal],
  ['AHx', readHexadecimal],
  ['RunLengthDecode', unpackRuns],
  ['RL', unpackRuns],
]);

/** Takes what there is of a stream that was cut off. */
function inflate(bytes: Uint8Array, maxOutputLength: number): Uint8Array | undefined {
  const options = { maxOutputLength, finishFlush: constants.Z_SYNC_FLUSH };
  for (const attempt of [
    () => inflateSync(bytes, options),
    () => inflateRawSync(bytes.subarray(2), options),
  ]) {
    try {
      return attempt();
    } catch (error) {
      if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE') return tooMuch;
    }
  }
  return undefined;
}

function unpackLzw(
  bytes: Uint8Array,
  limit: number,
  parameters: ReadonlyMap<string, number>,
): Uint8Array | undefined {
  const early = parameters.get('EarlyChange') ?? 1;
  const out = new Output(limit);
  let table: Uint8Array[] = [];
  let width = 9;
  let buffer = 0;
  let held = 0;
  let last: Uint8Array | undefined;
  for (const byte of bytes) {
    buffer = ((buffer << 8) | byte) & 0xffffff;
    held += 8;
    if (held < width) continue;
    const code = (buffer >> (held - width)) & ((1 << width) - 1);
    held -= width;
    if (code === 257) break;
    if (code === 256) {
      table = [];
      width = 9;
      last = undefined;
      continue;
    }
    const entry = code < 256 ? Uint8Array.of(code) : (table[code - 258] ?? (last && extend(last, last)));
    if (!entry) return undefined;
    if (!out.add(entry)) return tooMuch;
    if (last && table.length < 4096) table.push(extend(last, entry));
    last = entry;
    const size = table.length + 258 + early;
    width = size >= 2048 ? 12 : size >= 1024 ? 11 : size >= 512 ? 10 : 9;
  }
  return out.take();
}

function extend(head: Uint8Array, tail: Uint8Array): Uint8Array {
  const joined = new Uint8Array(head.length + 1);
  joined.set(head);
  joined[head.length] = tail[0] ?? 0;
  return joined;
}

function readBase85(bytes: Uint8Array, limit: number): Uint8Array | undefined {
  const out = new Output(limit);
  let group: number[] = [];
  const flush = (count: number) => {
    const value = [...group, 84, 84, 84, 84].slice(0, 5).reduce((sum, digit) => sum * 85 + digit, 0);
    const four = [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) & 255);
    group = [];
    return out.add(Uint8Array.from(four.slice(0, count)));
  };
  for (const byte of bytes) {
    if (byte === 0x7e) break;
    if (byte === 0x7a && group.length === 0) group = [0, 0, 0, 0, 0];
    else if (byte >= 33 && byte <= 117) group.push(byte - 33);
    if (group.length === 5 && !flush(4)) return tooMuch;
  }
  if (group.length > 1 && !flush(group.length - 1)) return tooMuch;
  return out.take();
}

function readHexadecimal(bytes: Uint8Array): Uint8Array {
  const digits = Buffer.from(bytes)
    .toString('latin1')
    .split('>')[0]
    ?.replace(/[^0-9a-fA-F]/g, '');
  return Buffer.from(digits && digits.length % 2 === 1 ? `${digits}0` : (digits ?? ''), 'hex');
}

function unpackRuns(bytes: Uint8Array, limit: number): Uint8Array | undefined {
  const out = new Output(limit);
  for (let at = 0; at < bytes.length; ) {
    const length = bytes[at] ?? 128;
    if (length === 128) break;
    const run =
      length < 128
        ? bytes.subarray(at + 1, at + 2 + length)
        : new Uint8Array(257 - length).fill(bytes[at + 1] ?? 0);
    if (!out.add(run)) return tooMuch;
    at += length < 128 ? length + 2 : 2;
  }
  return out.take();
}

/** Grows to a limit and no further. */
class Output {
  readonly #pieces: Uint8Array[] = [];
  #size = 0;

  constructor(private readonly limit: number) {}

  add(piece: Uint8Array): boolean {
    this.#size += piece.length;
    this.#pieces.push(piece);
    return this.#size <= this.limit;
  }

  take(): Uint8Array {
    return Buffer.concat(this.#pieces);
  }
}

/** PNG's predictions, in which the tables of newer files are written. */
function undoPrediction(data: Uint8Array, parameters: ReadonlyMap<string, number>): Uint8Array {
  const bits = (parameters.get('Colors') ?? 1) * (parameters.get('BitsPerComponent') ?? 8);
  const pixel = Math.max(1, Math.ceil(bits / 8));
  const row = Math.max(1, Math.ceil((bits * (parameters.get('Columns') ?? 1)) / 8));
  const rows = Math.ceil(data.length / (row + 1));
  const out = new Uint8Array(rows * row);
  for (let index = 0; index < rows; index++) {
    const kind = data[index * (row + 1)] ?? 0;
    for (let column = 0; column < row; column++) {
      const at = index * row + column;
      const left = column >= pixel ? (out[at - pixel] ?? 0) : 0;
      const up = index > 0 ? (out[at - row] ?? 0) : 0;
      const corner = index > 0 && column >= pixel ? (out[at - row - pixel] ?? 0) : 0;
      out[at] = (data[index * (row + 1) + 1 + column] ?? 0) + predict(kind, left, up, corner);
    }
  }
  return out;
}

function predict(kind: number, left: number, up: number, corner: number): number {
  if (kind === 1) return left;
  if (kind === 2) return up;
  if (kind === 3) return (left + up) >> 1;
  if (kind !== 4) return 0;
  const estimate = left + up - corner;
  const [a, b, c] = [left, up, corner].map((value) => Math.abs(estimate - value)) as [number, number, number];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

/** Where the data of a stream begins, behind the keyword and the end of its line. */
export function afterLineEnd(bytes: Uint8Array, at: number): number {
  let start = at;
  while (bytes[start] !== 10 && bytes[start] !== 13 && isSpace(bytes[start] ?? 65)) start++;
  if (bytes[start] === 13) start++;
  return bytes[start] === 10 ? start + 1 : start;
}
