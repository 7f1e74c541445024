import { PdfKeyword, PdfReader, PdfString, type PdfValue } from './pdf-syntax.ts';
import type { PdfWork } from './pdf-work.ts';

/** What the codes of a font mean, and how many bytes they have. */
export interface PdfCmap {
  /** By length: the codes that have so many bytes. */
  spaces: { length: number; low: number; high: number }[];
  text(code: number): string | undefined;
}

const maxEntries = 100_000;

interface Span {
  low: number;
  high: number;
  /** For `low`; the ones behind it count on. */
  text: string;
}

export function parseCmap(bytes: Uint8Array, work: PdfWork): PdfCmap {
  const reader = new PdfReader(bytes, 0, false);
  const spaces: PdfCmap['spaces'] = [];
  const single = new Map<number, string>();
  const spans: Span[] = [];
  let operands: PdfValue[] = [];
  for (let value = reader.read(); value !== undefined; value = reader.read()) {
    work.spend();
    if (!(value instanceof PdfKeyword)) {
      if (operands.length < maxEntries) operands.push(value);
      continue;
    }
    if (value.text === 'endcodespacerange') addSpaces(operands, spaces);
    if (value.text === 'endbfchar') addSingles(operands, single);
    if (value.text === 'endbfrange') addSpans(operands, single, spans);
    operands = [];
    if (single.size + spans.length > maxEntries) break;
  }
  spans.sort((a, b) => a.low - b.low);
  return { spaces, text: (code) => single.get(code) ?? inSpan(spans, code) };
}

function addSpaces(operands: readonly PdfValue[], spaces: PdfCmap['spaces']): void {
  for (let at = 0; at + 1 < operands.length && spaces.length < 100; at += 2) {
    const [low, high] = [operands[at], operands[at + 1]];
    if (low instanceof PdfString && high instanceof PdfString && low.bytes.length > 0)
      spaces.push({ length: Math.min(4, low.bytes.length), low: codeOf(low), high: codeOf(high) });
  }
}

function addSingles(operands: readonly PdfValue[], single: Map<number, string>): void {
  for (let at = 0; at + 1 < operands.length; at += 2) {
    const [code, text] = [operands[at], operands[at + 1]];
    if (code instanceof PdfString && text instanceof PdfString) single.set(codeOf(code), utf16(text.bytes));
  }
}

function addSpans(operands: readonly PdfValue[], single: Map<number, string>, spans: Span[]): void {
  for (let at = 0; at + 2 < operands.length; at += 3) {
    const [low, high, target] = [operands[at], operands[at + 1], operands[at + 2]];
    if (!(low instanceof PdfString) || !(high instanceof PdfString)) continue;
    if (target instanceof PdfString)
      spans.push({ low: codeOf(low), high: codeOf(high), text: utf16(target.bytes) });
    else if (Array.isArray(target))
      for (const [index, text] of target.entries())
        if (text instanceof PdfString) single.set(codeOf(low) + index, utf16(text.bytes));
  }
}

function inSpan(spans: readonly Span[], code: number): string | undefined {
  let [from, to] = [0, spans.length - 1];
  while (from < to) {
    const middle = (from + to + 1) >> 1;
    if ((spans[middle]?.low ?? 0) <= code) from = middle;
    else to = middle - 1;
  }
  const span = spans[from];
  if (!span || code < span.low || code > span.high) return undefined;
  const last = span.text.length - 1;
  return span.text.slice(0, last) + String.fromCharCode(span.text.charCodeAt(last) + code - span.low);
}

export function codeOf({ bytes }: PdfString): number {
  return bytes.subarray(0, 4).reduce((code, byte) => code * 256 + byte, 0);
}

export function utf16(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at + 1 < bytes.length && text.length < 64; at += 2)
    text += String.fromCharCode(((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0));
  return text;
}
