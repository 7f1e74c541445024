import { parseAnsi } from './ansi.ts';
import {
  joinSpans,
  type Piece,
  splitCharacters,
  splitParagraphs,
  splitRows,
  splitSpanWords,
} from './pieces.ts';
import { paintSpans, plain, type Span } from './style.ts';
import { width } from './width.ts';

export interface WrapOptions {
  /** At the cell and not between words: for commands and code, where blanks matter. */
  hard?: boolean;
  /** Comes before every line but the first of each paragraph. */
  indent?: string;
}

/** Painted text in lines of at most `columns` cells. The colours of a line are closed at its end and opened again. */
export function wrap(text: string, columns: number, options: WrapOptions = {}): string[] {
  return wrapSpans(parseAnsi(text), columns, options).map(paintSpans);
}

/** Spans in lines. Newlines are kept; blanks at a break between words are dropped. */
export function wrapSpans(spans: readonly Span[], columns: number, options: WrapOptions = {}): Span[][] {
  const indent = options.indent ?? '';
  // One cell could not hold a wide character.
  const room = Math.max(2, Math.floor(columns));
  // An indent that leaves no room is dropped: text comes first.
  const hanging = width(indent) + 2 <= room ? indent : '';
  return splitParagraphs(spans).flatMap((paragraph) => {
    const lines = new Lines(room, hanging);
    for (const piece of options.hard
      ? splitRows(paragraph, hanging === '' ? room : 1)
      : splitSpanWords(paragraph))
      lines.add(piece);
    return lines.finish();
  });
}

/** At most `columns` cells, with an ellipsis if something is missing. */
export function truncate(text: string, columns: number, where: 'end' | 'middle' | 'start' = 'end'): string {
  const line = text.includes('\n') ? text.replaceAll('\n', ' ') : text;
  if (width(line) <= columns) return line;
  if (columns < 1) return '';
  const spans = parseAnsi(line);
  const room = columns - 1;
  const head = where === 'end' ? room : where === 'start' ? 0 : Math.ceil(room / 2);
  const cells = splitCharacters(spans);
  const first = takeCells(cells, head);
  const last = takeCells(cells.reverse(), room - head).reverse();
  const mark: Span = { text: '…', style: first.at(-1)?.style ?? last[0]?.style ?? plain };
  return paintSpans([...first, mark, ...last]);
}

/** Exactly `columns` cells: cut or padded. */
export function pad(text: string, columns: number, align: 'left' | 'right' | 'center' = 'left'): string {
  const cut = truncate(text, columns);
  const free = Math.max(0, columns - width(cut));
  const before = align === 'left' ? 0 : align === 'right' ? free : Math.floor(free / 2);
  return ' '.repeat(before) + cut + ' '.repeat(free - before);
}

export function spansWidth(spans: readonly Span[]): number {
  return width(joinSpans(spans));
}

function takeCells(cells: readonly Piece[], room: number): Span[] {
  const taken: Span[] = [];
  let used = 0;
  for (const cell of cells) {
    used += cell.cells;
    if (used > room) break;
    taken.push(...cell.spans);
  }
  return taken;
}

class Lines {
  readonly #done: Span[][] = [];
  readonly #room: number;
  readonly #indent: string;
  #line: Span[] = [];
  #used = 0;
  /** Blanks that are written once something follows them on the same line. */
  #gap: Piece | undefined;

  constructor(room: number, indent: string) {
    this.#room = room;
    this.#indent = indent;
  }

  add(piece: Piece): void {
    const gap = this.#gap?.cells ?? 0;
    if (piece.isBlank) this.#addGap(piece);
    else if (this.#used + gap + piece.cells <= this.#room) this.#put(piece);
    else if (piece.cells <= this.#room - width(this.#indent)) {
      this.#break();
      this.#put(piece);
    } else {
      if (this.#used > width(this.#indent)) this.#break();
      for (const cell of splitCharacters(piece.spans)) this.#addCell(cell);
    }
  }

  finish(): Span[][] {
    return [...this.#done, this.#line];
  }

  #addGap(piece: Piece): void {
    // Blanks that fill a line end it: the words around them must not be joined.
    if (piece.cells >= this.#room) {
      if (this.#used > width(this.#indent)) this.#break();
      return;
    }
    // At the start of a paragraph, blanks are its indent.
    if (this.#used === 0 && this.#done.length === 0) this.#put(piece);
    else this.#gap = piece;
  }

  /** A word too long for any line starts a new one and is cut where that ends. */
  #addCell(cell: Piece): void {
    const gap = this.#gap?.cells ?? 0;
    if (this.#used > 0 && this.#used + gap + cell.cells > this.#room) this.#break();
    this.#put(cell);
  }

  #put(piece: Piece): void {
    if (this.#gap) this.#line.push(...this.#gap.spans);
    this.#used += (this.#gap?.cells ?? 0) + piece.cells;
    this.#gap = undefined;
    this.#line.push(...piece.spans);
  }

  #break(): void {
    this.#done.push(this.#line);
    this.#line = this.#indent === '' ? [] : [{ text: this.#indent, style: plain }];
    this.#used = width(this.#indent);
    this.#gap = undefined;
  }
}
