import type { Span } from './style.ts';
import { graphemes, isAscii, width } from './width.ts';

/** A piece that wrapping never splits. */
export interface Piece {
  spans: Span[];
  cells: number;
  isBlank: boolean;
}

/** Words and the blanks between them. Between the characters of Chinese and Japanese a line may end too. */
export function splitSpanWords(spans: readonly Span[]): Piece[] {
  const take = createReader(spans);
  return (joinSpans(spans).match(words) ?? []).map((text) => ({
    spans: take(text.length),
    cells: width(text),
    isBlank: text.startsWith(' '),
  }));
}

/** Each user-perceived character separately. */
export function splitCharacters(spans: readonly Span[]): Piece[] {
  const take = createReader(spans);
  return graphemes(joinSpans(spans))
    .flatMap(splitWide)
    .map((text) => ({ spans: take(text.length), cells: width(text), isBlank: false }));
}

/** Whole rows if all characters take one cell, which is fast; otherwise each character separately. */
export function splitRows(spans: readonly Span[], room: number): Piece[] {
  const text = joinSpans(spans);
  if (room < 2 || !isAscii(text)) return splitCharacters(spans);
  const take = createReader(spans);
  return Array.from({ length: Math.ceil(text.length / room) }, (_, row) => {
    const cells = Math.min(room, text.length - row * room);
    return { spans: take(cells), cells, isBlank: false };
  });
}

/** Cut at newlines, which are dropped. */
export function splitParagraphs(spans: readonly Span[]): Span[][] {
  const paragraphs: Span[][] = [[]];
  for (const span of spans) {
    const [first = '', ...rest] = span.text.split('\n');
    if (first !== '') paragraphs.at(-1)?.push({ text: first, style: span.style });
    for (const line of rest) paragraphs.push(line === '' ? [] : [{ text: line, style: span.style }]);
  }
  return paragraphs;
}

export function joinSpans(spans: readonly Span[]): string {
  return spans.length === 1 ? (spans[0]?.text ?? '') : spans.map((span) => span.text).join('');
}

const ideographs = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\u3000-\\u303f\\uff00-\\uff60';
/** Marks that must not start a line stay with the text before them. */
const closing = '、。，．！？：；）」』】〉》〕｝ー々';
const words = new RegExp(` +|[${ideographs}][${closing}\\p{M}]*|[^ ${ideographs}]+`, 'gu');

/** Some scripts stack without limit within one character, which grows in width. */
function splitWide(cluster: string): string[] {
  return cluster.length > 2 && width(cluster) > 2 ? Array.from(cluster) : [cluster];
}

/** Takes the spans of the next so many characters, in order. */
function createReader(spans: readonly Span[]): (length: number) => Span[] {
  let index = 0;
  let offset = 0;
  return (length) => {
    const taken: Span[] = [];
    for (let left = length; left > 0; ) {
      const span = spans[index];
      if (!span) break;
      const text = span.text.slice(offset, offset + left);
      taken.push(text.length === span.text.length ? span : { text, style: span.style });
      left -= text.length;
      offset += text.length;
      if (offset >= span.text.length) {
        index++;
        offset = 0;
      }
    }
    return taken;
  };
}
