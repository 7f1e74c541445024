/** The objects that PDF files and their content streams are written in. */
export type PdfValue =
  | null
  | boolean
  | number
  | PdfName
  | PdfString
  | PdfReference
  | PdfKeyword
  | PdfValue[]
  | PdfDictionary;

export type PdfDictionary = Map<string, PdfValue>;

export class PdfName {
  constructor(readonly text: string) {}
}

export class PdfString {
  constructor(readonly bytes: Uint8Array) {}
}

export class PdfReference {
  constructor(readonly number: number) {}
}

/** `obj`, `stream`, `endobj`; in a content stream an operator. */
export class PdfKeyword {
  constructor(readonly text: string) {}
}

const maxDepth = 60;

/** Reads one object after the other. Whatever cannot be read is passed over: never a throw, never a step back. */
export class PdfReader {
  constructor(
    readonly bytes: Uint8Array,
    public at = 0,
    /** `12 0 R` is a reference in a file, and three operands in a content stream. */
    private readonly references = true,
  ) {}

  /** Undefined at the end. */
  read(depth = 0): PdfValue | undefined {
    this.skipSpace();
    const byte = this.bytes[this.at];
    if (byte === undefined) return undefined;
    if (byte === slash) return this.#name();
    if (byte === parenthesis) return this.#literal();
    if (byte === less)
      return this.bytes[this.at + 1] === less ? this.#dictionary(depth) : this.#hexadecimal();
    if (byte === bracket) return this.#array(depth);
    if (isDelimiter(byte)) {
      const double = byte === greater && this.bytes[this.at + 1] === greater;
      this.at += double ? 2 : 1;
      return new PdfKeyword(double ? '>>' : String.fromCharCode(byte));
    }
    return this.#word();
  }

  skipSpace(): void {
    for (; ; this.at++) {
      const byte = this.bytes[this.at];
      if (byte === percent) this.#skipComment();
      else if (byte === undefined || !isSpace(byte)) return;
    }
  }

  #skipComment(): void {
    for (let byte = this.bytes[this.at]; byte !== undefined; byte = this.bytes[++this.at])
      if (byte === 10 || byte === 13) return;
  }

  #word(): PdfValue {
    const text = this.#plain();
    if (/^[+-]?(\d+\.?\d*|\.\d+)$/.test(text)) return this.#numberOrReference(text);
    if (text === 'true') return true;
    if (text === 'false') return false;
    if (text === 'null') return null;
    // Broken producers write `--5` and `1.2.3`.
    if (/^[+-]*[\d.]/.test(text)) return Number.parseFloat(text.replace(/^[+-]+/, '-')) || 0;
    return new PdfKeyword(text);
  }

  #plain(): string {
    const start = this.at;
    for (let byte = this.bytes[this.at]; byte !== undefined && !isSpace(byte) && !isDelimiter(byte); )
      byte = this.bytes[++this.at];
    return latin(this.bytes.subarray(start, Math.min(this.at, start + 200)));
  }

  #numberOrReference(text: string): PdfValue {
    const value = Number(text);
    if (!this.references || !/^\d{1,10}$/.test(text)) return value;
    const tail = /^\s{1,5}\d{1,5}\s{1,5}R(?![^\s/<>[\](){}%])/.exec(
      latin(this.bytes.subarray(this.at, this.at + 20)),
    );
    if (!tail) return value;
    this.at += tail[0].length;
    return new PdfReference(value);
  }

  #name(): PdfName {
    this.at++;
    return new PdfName(
      this.#plain().replace(/#([0-9a-fA-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    );
  }

  #array(depth: number): PdfValue[] {
    this.at++;
    const items: PdfValue[] = [];
    if (depth > maxDepth) return items;
    for (;;) {
      const item = this.read(depth + 1);
      if (item === undefined) return items;
      if (item instanceof PdfKeyword) {
        if (item.text === ']' || endings.has(item.text)) return items;
      } else items.push(item);
    }
  }

  #dictionary(depth: number): PdfDictionary {
    this.at += 2;
    const dictionary: PdfDictionary = new Map();
    if (depth > maxDepth) return dictionary;
    for (;;) {
      const key = this.read(depth + 1);
      if (key === undefined) return dictionary;
      if (key instanceof PdfKeyword && (key.text === '>>' || endings.has(key.text))) return dictionary;
      if (!(key instanceof PdfName)) continue;
      const value = this.read(depth + 1);
      if (value === undefined || value instanceof PdfKeyword) return dictionary;
      dictionary.set(key.text, value);
    }
  }

  #literal(): PdfString {
    const out: number[] = [];
    let open = 1;
    for (this.at++; this.at < this.bytes.length; this.at++) {
      const byte = this.bytes[this.at] ?? 0;
      if (byte === backslash) this.#escape(out);
      else if (byte === parenthesis + 1 && --open === 0) break;
      else {
        if (byte === parenthesis) open++;
        out.push(byte);
      }
    }
    this.at++;
    return new PdfString(Uint8Array.from(out));
  }

  #escape(out: number[]): void {
    const byte = this.bytes[++this.at] ?? 0;
    const octal = /^[0-7]{1,3}/.exec(latin(this.bytes.subarray(this.at, this.at + 3)))?.[0];
    if (octal !== undefined) {
      out.push(Number.parseInt(octal, 8) & 255);
      this.at += octal.length - 1;
    } else if (byte === 13 && this.bytes[this.at + 1] === 10) this.at++;
    else if (byte !== 10 && byte !== 13) out.push(escapes.get(byte) ?? byte);
  }

  #hexadecimal(): PdfString {
    const end = this.bytes.indexOf(greater, this.at);
    const stop = end === -1 ? this.bytes.length : end;
    const digits = latin(this.bytes.subarray(this.at + 1, stop)).replace(/[^0-9a-fA-F]/g, '');
    this.at = stop + 1;
    return new PdfString(Buffer.from(digits.length % 2 === 0 ? digits : `${digits}0`, 'hex'));
  }
}

const slash = 0x2f;
const percent = 0x25;
const parenthesis = 0x28;
const less = 0x3c;
const greater = 0x3e;
const bracket = 0x5b;
const backslash = 0x5c;
const endings: ReadonlySet<string> = new Set(['endobj', 'stream', 'obj']);
const escapes: ReadonlyMap<number, number> = new Map([
  [0x6e, 10],
  [0x72, 13],
  [0x74, 9],
  [0x62, 8],
  [0x66, 12],
]);

export function isSpace(byte: number): boolean {
  return byte === 32 || byte === 10 || byte === 13 || byte === 9 || byte === 12 || byte === 0;
}

function isDelimiter(byte: number): boolean {
  // ( ) < > [ ] { } / %
  return (
    byte === 0x28 ||
    byte === 0x29 ||
    byte === 0x3c ||
    byte === 0x3e ||
    byte === 0x5b ||
    byte === 0x5d ||
    byte === 0x7b ||
    byte === 0x7d ||
    byte === 0x2f ||
    byte === 0x25
  );
}

export function latin(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}
