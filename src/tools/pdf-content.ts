import { loadFont, type PdfFont } from './pdf-fonts.ts';
import type { PdfLayout } from './pdf-layout.ts';
import type { PdfObjects } from './pdf-objects.ts';
import {
  isSpace,
  type PdfDictionary,
  PdfKeyword,
  PdfName,
  PdfReader,
  PdfString,
  type PdfValue,
} from './pdf-syntax.ts';
import { PdfStopped, type PdfWork } from './pdf-work.ts';

/** What a whole document's pages have in common. */
export interface ContentContext {
  objects: PdfObjects;
  work: PdfWork;
  fonts: Map<PdfDictionary, PdfFont>;
  /** How many forms a page may still draw: forms within forms multiply. */
  forms: { left: number };
}

type Matrix = readonly [number, number, number, number, number, number];

interface TextState {
  matrix: Matrix;
  font: PdfFont | undefined;
  size: number;
  characterSpace: number;
  wordSpace: number;
  stretch: number;
  leading: number;
  rise: number;
}

const identity: Matrix = [1, 0, 0, 1, 0, 0];
const maxNested = 8;
const maxOperands = 2000;
const maxSaved = 200;

/** Draws a content stream as far as its text goes. */
export function drawText(
  data: Uint8Array,
  resources: PdfDictionary,
  context: ContentContext,
  layout: PdfLayout,
  matrix: Matrix = identity,
  depth = 0,
): void {
  const page = new TextPage(resources, context, layout, matrix, depth);
  const reader = new PdfReader(data, 0, false);
  let operands: PdfValue[] = [];
  for (let value = reader.read(); value !== undefined; value = reader.read()) {
    context.work.spend();
    if (!(value instanceof PdfKeyword)) {
      if (operands.length < maxOperands) operands.push(value);
      continue;
    }
    if (value.text === 'ID') skipImage(reader);
    else page.apply(value.text, operands);
    operands = [];
  }
}

class TextPage {
  #state: TextState;
  readonly #saved: TextState[] = [];
  #text: Matrix = identity;
  #line: Matrix = identity;

  constructor(
    private readonly resources: PdfDictionary,
    private readonly context: ContentContext,
    private readonly layout: PdfLayout,
    matrix: Matrix,
    private readonly depth: number,
  ) {
    const font = undefined;
    this.#state = { matrix, font, size: 1, characterSpace: 0, wordSpace: 0, stretch: 1, leading: 0, rise: 0 };
  }

  apply(operator: string, operands: readonly PdfValue[]): void {
    const number = (index: number) => {
      const value = operands[index];
      return typeof value === 'number' ? value : 0;
    };
    const six = (): Matrix => [number(0), number(1), number(2), number(3), number(4), number(5)];
    const state = this.#state;
    switch (operator) {
      case 'q':
        if (this.#saved.length < maxSaved) this.#saved.push({ ...state });
        break;
      case 'Q':
        this.#state = this.#saved.pop() ?? state;
        break;
      case 'cm':
        state.matrix = multiply(six(), state.matrix);
        break;
      case 'BT':
        this.#text = this.#line = identity;
        break;
      case 'Tf':
        state.font = this.#font(operands[0]);
        state.size = number(1);
        break;
      case 'Tc':
        state.characterSpace = number(0);
        break;
      case 'Tw':
        state.wordSpace = number(0);
        break;
      case 'Tz':
        state.stretch = number(0) / 100;
        break;
      case 'TL':
        state.leading = number(0);
        break;
      case 'Ts':
        state.rise = number(0);
        break;
      case 'Tm':
        this.#text = this.#line = six();
        break;
      case 'TD':
        state.leading = -number(1);
        this.#move(number(0), number(1));
        break;
      case 'Td':
        this.#move(number(0), number(1));
        break;
      case 'T*':
        this.#move(0, -state.leading);
        break;
      case "'":
        this.#move(0, -state.leading);
        this.#show(operands[0]);
        break;
      case '"':
        state.wordSpace = number(0);
        state.characterSpace = number(1);
        this.#move(0, -state.leading);
        this.#show(operands[2]);
        break;
      case 'Tj':
        this.#show(operands[0]);
        break;
      case 'TJ':
        this.#showAll(operands[0]);
        break;
      case 'Do':
        this.#drawForm(operands[0]);
        break;
    }
  }

  #move(x: number, y: number): void {
    this.#text = this.#line = multiply([1, 0, 0, 1, x, y], this.#line);
  }

  #showAll(items: PdfValue | undefined): void {
    for (const item of Array.isArray(items) ? items : []) {
      if (typeof item === 'number') this.#advance((-item / 1000) * this.#state.size * this.#state.stretch);
      else this.#show(item);
    }
  }

  #show(value: PdfValue | undefined): void {
    if (!(value instanceof PdfString)) return;
    const { font, size, characterSpace, wordSpace, stretch, rise, matrix } = this.#state;
    const placed = multiply(this.#text, matrix);
    const start = apply(placed, 0, rise);
    let text = '';
    let width = 0;
    for (const glyph of font?.glyphs(value.bytes) ?? []) {
      this.context.work.spend();
      if (glyph.text === undefined) this.layout.unknown++;
      text += glyph.text ?? '\ufffd';
      const space = characterSpace + (glyph.isSpace ? wordSpace : 0);
      width += ((glyph.width / 1000) * size + space) * stretch;
    }
    this.#advance(width);
    const end = apply(multiply(this.#text, matrix), 0, rise);
    const height = Math.abs(size) * Math.hypot(placed[2], placed[3]);
    // Turned text runs upwards: its line is where x is.
    const isTurned = Math.abs(placed[1]) > Math.abs(placed[0]);
    const [x, y, endX] = isTurned ? [start[1], start[0], end[1]] : [start[0], start[1], end[0]];
    this.layout.add({ text, x, y, endX, size: height });
  }

  #advance(width: number): void {
    this.#text = multiply([1, 0, 0, 1, width, 0], this.#text);
  }

  #font(name: PdfValue | undefined): PdfFont | undefined {
    const { objects, fonts, work } = this.context;
    if (!(name instanceof PdfName)) return undefined;
    const found = objects.resolve(objects.dictionary(this.resources.get('Font')).get(name.text));
    if (!(found instanceof Map)) return undefined;
    const font = fonts.get(found) ?? loadFont(found, objects, work);
    fonts.set(found, font);
    return font;
  }

  /** A page within the page. */
  #drawForm(name: PdfValue | undefined): void {
    const { objects } = this.context;
    if (!(name instanceof PdfName) || this.depth >= maxNested) return;
    const form = objects.dictionary(this.resources.get('XObject')).get(name.text);
    const dictionary = objects.dictionary(form);
    const data = objects.name(dictionary.get('Subtype')) === 'Form' ? objects.data(form) : undefined;
    if (!data) return;
    if (--this.context.forms.left < 0) throw new PdfStopped('one of its pages is drawn without end');
    const own = objects.numbers(dictionary.get('Matrix'));
    const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = own;
    const resources = dictionary.has('Resources')
      ? objects.dictionary(dictionary.get('Resources'))
      : this.resources;
    const matrix = multiply([a, b, c, d, e, f], this.#state.matrix);
    drawText(data, resources, this.context, this.layout, matrix, this.depth + 1);
  }
}

/** Behind `ID` stand bytes of an image, until an `EI` between blanks. */
function skipImage(reader: PdfReader): void {
  const { bytes } = reader;
  for (let at = reader.at + 1; at < bytes.length; at++) {
    const isEnd = bytes[at] === 0x45 && bytes[at + 1] === 0x49;
    if (!isEnd || !isSpace(bytes[at - 1] ?? 0) || !isSpace(bytes[at + 2] ?? 32)) continue;
    reader.at = at + 2;
    return;
  }
  reader.at = bytes.length;
}

function multiply(m: Matrix, n: Matrix): Matrix {
  return [
    m[0] * n[0] + m[1] * n[2],
    m[0] * n[1] + m[1] * n[3],
    m[2] * n[0] + m[3] * n[2],
    m[2] * n[1] + m[3] * n[3],
    m[4] * n[0] + m[5] * n[2] + n[4],
    m[4] * n[1] + m[5] * n[3] + n[5],
  ];
}

function apply(m: Matrix, x: number, y: number): [number, number] {
  return [x * m[0] + y * m[2] + m[4], x * m[1] + y * m[3] + m[5]];
}
