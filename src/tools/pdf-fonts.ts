import { type PdfCmap, parseCmap, utf16 } from './pdf-cmap.ts';
import { encodingTable, glyphText } from './pdf-glyphs.ts';
import type { PdfObjects } from './pdf-objects.ts';
import { latin, type PdfDictionary, PdfName } from './pdf-syntax.ts';
import type { PdfWork } from './pdf-work.ts';

export interface PdfGlyph {
  /** Undefined when the font does not say what it shows. */
  text: string | undefined;
  /** In thousandths of the font's size. */
  width: number;
  /** The one-byte code 32, which is stretched by the word spacing. */
  isSpace: boolean;
}

export interface PdfFont {
  glyphs(bytes: Uint8Array): Generator<PdfGlyph>;
}

export function loadFont(dictionary: PdfDictionary, objects: PdfObjects, work: PdfWork): PdfFont {
  const mapped = objects.data(dictionary.get('ToUnicode'));
  const toUnicode = mapped ? parseCmap(mapped, work) : undefined;
  return objects.name(dictionary.get('Subtype')) === 'Type0'
    ? compositeFont(dictionary, objects, toUnicode, work)
    : simpleFont(dictionary, objects, toUnicode);
}

/** One byte, one glyph. */
function simpleFont(dictionary: PdfDictionary, objects: PdfObjects, toUnicode: PdfCmap | undefined): PdfFont {
  const characters = charactersOf(dictionary, objects);
  const first = objects.number(dictionary.get('FirstChar'), 0);
  const widths = objects.numbers(dictionary.get('Widths'));
  const isFixed = /courier|mono/i.test(objects.name(dictionary.get('BaseFont')));
  const missing = objects.number(
    objects.dictionary(dictionary.get('FontDescriptor')).get('MissingWidth'),
    isFixed ? 600 : 500,
  );
  const isType3 = objects.name(dictionary.get('Subtype')) === 'Type3';
  const scale = isType3 ? (objects.numbers(dictionary.get('FontMatrix'))[0] ?? 0.001) * 1000 : 1;
  return {
    *glyphs(bytes) {
      for (const code of bytes) {
        const text = toUnicode?.text(code) ?? characters[code];
        yield { text, width: (widths[code - first] ?? missing) * scale, isSpace: code === 32 };
      }
    },
  };
}

function charactersOf(dictionary: PdfDictionary, objects: PdfObjects): (string | undefined)[] {
  const encoding = objects.resolve(dictionary.get('Encoding'));
  const isTrueType = objects.name(dictionary.get('Subtype')) === 'TrueType';
  const usual = isTrueType ? 'WinAnsiEncoding' : 'StandardEncoding';
  const named = objects.name(encoding instanceof Map ? encoding.get('BaseEncoding') : encoding);
  const table = encodingTable(named || usual);
  if (named === '') readBuiltIn(dictionary, objects, table);
  if (!(encoding instanceof Map)) return table;
  let code = 0;
  for (const item of objects.list(encoding.get('Differences')).slice(0, 1000)) {
    if (typeof item === 'number') code = item;
    else if (item instanceof PdfName && code >= 0 && code < 256) table[code++] = glyphText(item.text);
  }
  return table;
}

/** A Type 1 font says at its beginning, in plain text, which code shows which glyph: `dup 15 /bullet put`. */
function readBuiltIn(dictionary: PdfDictionary, objects: PdfObjects, table: (string | undefined)[]): void {
  const file = objects.data(objects.dictionary(dictionary.get('FontDescriptor')).get('FontFile'));
  if (!file) return;
  const head = latin(file.subarray(0, 20_000)).split('eexec')[0] ?? '';
  for (const [, code, name] of head.matchAll(/dup\s{1,5}(\d{1,3})\s{0,5}\/([\w.]{1,60})\s{1,5}put/g))
    if (Number(code) < 256) table[Number(code)] = glyphText(name ?? '');
}

/** Several bytes a glyph, and as many glyphs as a script needs. */
function compositeFont(
  dictionary: PdfDictionary,
  objects: PdfObjects,
  toUnicode: PdfCmap | undefined,
  work: PdfWork,
): PdfFont {
  const descendant = objects.dictionary(objects.list(dictionary.get('DescendantFonts'))[0]);
  const encoding = objects.name(dictionary.get('Encoding'));
  const embedded = objects.data(dictionary.get('Encoding'));
  const spaces = embedded ? parseCmap(embedded, work).spaces : [];
  const isUnicode = /^Uni.*(UCS2|UTF16)/.test(encoding);
  const widthOf = readWidths(descendant, objects);
  return {
    *glyphs(bytes) {
      for (let at = 0; at < bytes.length; ) {
        const length = codeLength(bytes, at, spaces);
        const piece = bytes.subarray(at, at + length);
        const code = piece.reduce((value, byte) => value * 256 + byte, 0);
        const text = toUnicode?.text(code) ?? (isUnicode ? utf16(piece) : undefined);
        yield { text, width: widthOf(code), isSpace: length === 1 && code === 32 };
        at += length;
      }
    },
  };
}

/** Two bytes unless the font says otherwise. */
function codeLength(bytes: Uint8Array, at: number, spaces: PdfCmap['spaces']): number {
  let code = 0;
  for (let length = 1; length <= 4 && at + length <= bytes.length; length++) {
    code = code * 256 + (bytes[at + length - 1] ?? 0);
    if (spaces.some((space) => space.length === length && code >= space.low && code <= space.high))
      return length;
  }
  return 2;
}

const maxWidths = 100_000;

/** `W`: `first [w1 w2 …]` or `first last width`. */
function readWidths(descendant: PdfDictionary, objects: PdfObjects): (code: number) => number {
  const usual = objects.number(descendant.get('DW'), 1000);
  const known = new Map<number, number>();
  const items = objects.list(descendant.get('W'));
  for (let at = 0; at + 1 < items.length && known.size < maxWidths; ) {
    const first = objects.number(items[at], 0);
    const second = objects.resolve(items[at + 1]);
    if (Array.isArray(second)) {
      for (const [index, width] of objects.numbers(second).entries()) known.set(first + index, width);
      at += 2;
    } else {
      const last = Math.min(objects.number(second, 0), first + 65_535);
      const width = objects.number(items[at + 2], usual);
      for (let code = first; code <= last && known.size < maxWidths; code++) known.set(code, width);
      at += 3;
    }
  }
  return (code) => known.get(code) ?? usual;
}
