import type { Clock } from '../lib/clock.ts';
import { failure, messageOf, ok, type Result } from '../lib/result.ts';
import type { ContentContext } from './pdf-content.ts';
import { PdfObjects } from './pdf-objects.ts';
import { findPages, readPageText } from './pdf-pages.ts';
import { PdfStopped, PdfWork } from './pdf-work.ts';

export interface PdfText {
  pages: { number: number; text: string }[];
  /** How many the document has. */
  total: number;
  /** Characters that are shown, but that the fonts do not explain. */
  unknown: number;
}

export interface PdfOptions {
  clock: Clock;
  signal: AbortSignal;
  first?: number;
  last?: number;
  /** Reading ends with the page that goes beyond it. */
  maxCharacters?: number;
}

export const defaultPages = 20;
const timeLimitMs = 10_000;

/**
 * The text of a PDF document, by a small reader of our own. It was made to be bounded, since documents come from
 * strangers: no code in them is run, unpacking ends at a limit, time too, and others have their turn meanwhile. It does
 * not read pictures, and it does not decrypt.
 */
export async function pdfText(bytes: Uint8Array, options: PdfOptions): Promise<Result<PdfText>> {
  const work = new PdfWork(options.clock, options.signal, timeLimitMs);
  try {
    const objects = await PdfObjects.load(bytes, work);
    if (objects.isEncrypted) return failure('it is encrypted. qpdf --decrypt in Bash makes a plain copy.');
    return await readPages(objects, work, options);
  } catch (error) {
    if (error instanceof PdfStopped) return failure(`${error.message}. Ask for fewer pages.`);
    return failure(`it is broken (${messageOf(error)}).`);
  }
}

async function readPages(objects: PdfObjects, work: PdfWork, options: PdfOptions): Promise<Result<PdfText>> {
  const all = findPages(objects);
  if (all.length === 0) return failure('it is broken: no pages were found in it.');
  const { first = 1, maxCharacters = 1_000_000 } = options;
  const last = Math.min(options.last ?? first + defaultPages - 1, all.length);
  if (first > all.length) return failure(`it has ${all.length} pages, so there is no page ${first}.`);
  const context: Omit<ContentContext, 'forms'> = { objects, work, fonts: new Map() };
  const result: PdfText = { pages: [], total: all.length, unknown: 0 };
  let characters = 0;
  for (let number = first; number <= last && characters <= maxCharacters; number++) {
    const page = all[number - 1];
    if (!page) break;
    const { text, unknown } = readPageText(page, context);
    if (objects.isUsedUp) return failure('what is packed in it is too large.');
    result.pages.push({ number, text });
    result.unknown += unknown;
    characters += text.length;
    await work.pause();
  }
  return ok(result);
}

/** Page by page, with what a reader should know of what is missing. */
export function renderPdf({ pages, total, unknown }: PdfText): string {
  const first = pages[0]?.number ?? 1;
  const last = pages.at(-1)?.number ?? first;
  const body = pages.map(({ number, text }) => `--- page ${number} ---\n${text || '(no text)'}`).join('\n\n');
  const isEmpty = pages.every(({ text }) => text === '');
  const notes = [
    last - first + 1 < total ? `Pages ${first}-${last} of ${total}.` : '',
    last < total ? `Go on with pages "${last + 1}-${Math.min(total, last + defaultPages)}".` : '',
    isEmpty ? 'There is no text: the pages may be pictures. pdftoppm in Bash turns them into images.' : '',
    unknown > 0 ? `${unknown} characters could not be read and are shown as \ufffd.` : '',
  ].filter((note) => note !== '');
  return notes.length > 0 ? `${body}\n\n[${notes.join(' ')}]` : body;
}
