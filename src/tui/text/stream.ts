import { expandTabs } from './controls.ts';
import {
  closesFence,
  type Fence,
  interrupts,
  isBlank,
  isHeading,
  isQuote,
  isRule,
  isUnderline,
  type Marker,
  measureIndent,
  readFence,
  readMarker,
  trimBlanks,
} from './markdown-lines.ts';

/** Markdown that is complete in itself: a block, a list item, or part of a long block of code. */
export interface MarkdownPiece {
  readonly markdown: string;
  /** It continues the piece before: no blank line between them, and no second label on code. */
  readonly joins: boolean;
}

/** How far growing text has been split. */
export interface StreamPlace {
  /** The start of the piece that is still open. */
  readonly start: number;
  /** The first line not looked at yet. */
  readonly at: number;
  readonly open?: Open;
  readonly joins: boolean;
}

export interface StreamSplit {
  /** Written once and never again. */
  readonly finished: MarkdownPiece[];
  /** Text that may still change with the next character. */
  readonly rest: MarkdownPiece | undefined;
  readonly place: StreamPlace;
}

type Open =
  | { readonly kind: 'paragraph' | 'quote' | 'indented' }
  | {
      readonly kind: 'list';
      readonly mark: string;
      readonly content: number;
      readonly hasGap: boolean;
      readonly fence?: Fence;
    }
  /** `head`: put before each part but the first, so each is code in itself. */
  | { readonly kind: 'code'; readonly fence: Fence; readonly lines: number; readonly head: string };

const beginning: StreamPlace = { start: 0, at: 0, joins: false };

/**
 * Splits growing text into a finished and an unfinished part. Pass the place back with the longer text: only new text is
 * looked at.
 */
export function splitStream(text: string, place: StreamPlace = beginning): StreamSplit {
  const scanner = new Scanner(text, place, { codeLines: 60 });
  scanner.readLines();
  return { finished: scanner.pieces, rest: scanner.rest(), place: scanner.place() };
}

/** The rest of text that is complete. */
export function endStream(text: string, place: StreamPlace = beginning): MarkdownPiece[] {
  return split(text, place, { codeLines: 60 });
}

/** The blocks of complete text. Code stays in one piece. */
export function splitBlocks(markdown: string): MarkdownPiece[] {
  return split(markdown, beginning, { codeLines: Number.POSITIVE_INFINITY });
}

function split(text: string, place: StreamPlace, limits: Limits): MarkdownPiece[] {
  const scanner = new Scanner(text, place, limits);
  scanner.readLines();
  scanner.finishAll();
  return scanner.pieces;
}

interface Limits {
  /** Longer code is finished in parts, so it can scroll away while it grows. */
  codeLines: number;
}

/** A piece of this size is finished as it is. */
const maxOfPiece = 16 * 1024;

class Scanner {
  readonly pieces: MarkdownPiece[] = [];
  readonly #text: string;
  readonly #limits: Limits;
  #start: number;
  #at: number;
  #open: Open | undefined;
  #joins: boolean;

  constructor(text: string, place: StreamPlace, limits: Limits) {
    this.#text = text;
    this.#limits = limits;
    this.#start = place.start;
    this.#at = place.at;
    this.#open = place.open;
    this.#joins = place.joins;
  }

  place(): StreamPlace {
    const place = { start: this.#start, at: this.#at, joins: this.#joins };
    return this.#open ? { ...place, open: this.#open } : place;
  }

  rest(): MarkdownPiece | undefined {
    const markdown = this.#head() + this.#text.slice(this.#start);
    return isBlank(this.#text.slice(this.#start)) ? undefined : { markdown, joins: this.#joins };
  }

  readLines(): void {
    for (;;) {
      const end = this.#text.indexOf('\n', this.#at);
      const length = (end === -1 ? this.#text.length : end) - this.#at;
      if (length > maxOfPiece) this.#readLongLine();
      else if (end === -1) return;
      else this.#readLine(end, end + 1);
    }
  }

  finishAll(): void {
    if (this.#at < this.#text.length) this.#readLine(this.#text.length, this.#text.length);
    if (this.#open) this.#finish(this.#text.length, this.#open.kind === 'code');
  }

  #readLongLine(): void {
    const cut = this.#at + maxOfPiece;
    const blank = this.#text.lastIndexOf(' ', cut);
    const next = blank > cut - 200 ? blank + 1 : cut;
    this.#readLine(next, next);
    if (this.#open) this.#cut(next);
  }

  #readLine(end: number, next: number): void {
    const line = expandTabs(this.#text.slice(this.#at, end));
    const from = this.#at;
    this.#at = next;
    this.#take(line, from, next);
    if (this.#open && next - this.#start > maxOfPiece) this.#cut(next);
  }

  #take(line: string, from: number, next: number): void {
    const open = this.#open;
    if (!open) this.#begin(line, from, next);
    else if (open.kind === 'code') this.#takeCode(open, line, next);
    else if (open.kind === 'list') this.#takeInList(open, line, from, next);
    else if (open.kind === 'paragraph' && isUnderline(line)) this.#finish(next);
    else if (isBlank(line)) this.#finishAndSkip(from, next);
    else if (this.#endsBefore(open.kind, line)) {
      this.#finish(from);
      this.#begin(line, from, next);
      // A list belongs to the sentence before it.
      if (open.kind === 'paragraph' && readMarker(line)) this.#joins = true;
    }
  }

  #endsBefore(kind: 'paragraph' | 'quote' | 'indented', line: string): boolean {
    if (kind === 'indented') return measureIndent(line) < 4;
    return kind === 'quote' ? !isQuote(line) && interrupts(line) : interrupts(line);
  }

  #begin(line: string, from: number, next: number): void {
    this.#start = from;
    if (isBlank(line)) {
      this.#start = next;
      this.#joins = false;
      return;
    }
    const fence = readFence(line);
    const marker = readMarker(line);
    if (fence) this.#open = { kind: 'code', fence, lines: 0, head: '' };
    else if (isHeading(line) || isRule(line)) this.#finish(next);
    else if (marker) this.#open = this.#beginItem(line, marker);
    else if (isQuote(line)) this.#open = { kind: 'quote' };
    else this.#open = { kind: measureIndent(line) >= 4 ? 'indented' : 'paragraph' };
  }

  #beginItem(line: string, { mark, content }: Marker): Open {
    const fence = readFence(line.slice(content));
    return { kind: 'list', mark, content, hasGap: false, ...(fence ? { fence } : {}) };
  }

  #takeCode(open: Extract<Open, { kind: 'code' }>, line: string, next: number): void {
    if (closesFence(line, open.fence)) {
      this.#finish(next);
      return;
    }
    const lines = open.lines + 1;
    this.#open = { ...open, lines };
    // At an empty line if one is near, so that related code is coloured together.
    const { codeLines } = this.#limits;
    if (lines >= codeLines && (isBlank(line) || lines >= codeLines * 2)) this.#cut(next);
  }

  #takeInList(open: Extract<Open, { kind: 'list' }>, line: string, from: number, next: number): void {
    const { fence, ...list } = open;
    const marker = readMarker(line);
    if (fence) {
      if (closesFence(line.slice(Math.min(measureIndent(line), list.content)), fence)) this.#open = list;
    } else if (isBlank(line)) this.#open = { ...list, hasGap: true };
    else if (measureIndent(line) >= list.content) {
      const opened = readFence(line.trimStart());
      this.#open = { ...list, hasGap: false, ...(opened ? { fence: opened } : {}) };
    } else if (marker) {
      this.#finish(from);
      this.#begin(line, from, next);
      this.#joins = !list.hasGap || isNumber(marker.mark) === isNumber(list.mark);
    } else if (list.hasGap || interrupts(line)) {
      this.#finish(from);
      this.#begin(line, from, next);
    }
  }

  /** `isCut`: the code continues, so empty lines at its end are kept. */
  #finish(end: number, isCut = false): void {
    const text = this.#text.slice(this.#start, end);
    this.pieces.push({ markdown: this.#head() + (isCut ? text : trimBlanks(text)), joins: this.#joins });
    this.#start = end;
    this.#open = undefined;
    this.#joins = false;
  }

  #finishAndSkip(end: number, next: number): void {
    this.#finish(end);
    this.#start = next;
  }

  /** Finishes the available part of a block that continues. */
  #cut(end: number): void {
    const { fence, head } = this.#open?.kind === 'code' ? this.#open : {};
    const opener = head || (fence ? `${this.#text.slice(this.#start, this.#lineEnd())}\n` : '');
    this.#finish(end, fence !== undefined);
    this.#joins = true;
    if (fence) this.#open = { kind: 'code', fence, lines: 0, head: opener };
  }

  #lineEnd(): number {
    const end = this.#text.indexOf('\n', this.#start);
    return end === -1 ? this.#text.length : end;
  }

  #head(): string {
    return this.#open?.kind === 'code' ? this.#open.head : '';
  }
}

function isNumber(mark: string): boolean {
  return /^\d/.test(mark);
}
