import { getDocumentProxy } from 'unpdf';
import type { ConvertRequest, PdfText } from './request.ts';

type PdfRequest = Extract<ConvertRequest, { kind: 'pdf' }>;

/** The text of some pages. Throws what the library throws: only the converting process calls it. */
export async function readPdfPages(bytes: Uint8Array, request: PdfRequest): Promise<PdfText> {
  const document = await getDocumentProxy(new Uint8Array(bytes), {
    // Documents are untrusted: nothing in them is compiled, fetched or drawn.
    isEvalSupported: false,
    disableFontFace: true,
    useSystemFonts: false,
    stopAtErrors: false,
    verbosity: 0,
  });
  const result: PdfText = { pages: [], total: document.numPages };
  let characters = 0;
  const last = Math.min(request.last, document.numPages);
  for (let number = request.first; number <= last && characters <= request.maxCharacters; number++) {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    const text = layOut(items.filter((item) => 'str' in item));
    page.cleanup();
    result.pages.push({ number, text });
    characters += text.length;
  }
  return result;
}

interface TextItem {
  str: string;
  width: number;
  height: number;
  transform: number[];
}

function layOut(items: readonly TextItem[]): string {
  const layout = new PdfLayout();
  for (const { str, width, height, transform } of items) {
    const [, , , , x = 0, y = 0] = transform;
    layout.add({ text: str, x, y, endX: x + width, size: height });
  }
  return layout.text();
}

/** A piece of text with its position on the page, in points. */
interface PdfPiece {
  text: string;
  x: number;
  y: number;
  endX: number;
  size: number;
}

const maxCharacters = 1_000_000;

/** Joins pieces in the order in which the page draws them, with the spaces and line ends that their positions show. */
class PdfLayout {
  readonly #parts: string[] = [];
  #length = 0;
  #last: PdfPiece | undefined;
  add(piece: PdfPiece): void {
    if (piece.text === '' || this.#length > maxCharacters) return;
    const between = this.#last ? separator(this.#last, piece) : '';
    this.#parts.push(between, piece.text);
    this.#length += between.length + piece.text.length;
    this.#last = piece;
  }

  text(): string {
    return this.#parts
      .join('')
      .toWellFormed()
      .replace(/[\0-\x08\x0b-\x1f]/g, '')
      .replace(/[\ufb00-\ufb06]/g, (ligature) => ligature.normalize('NFKC'))
      .replace(/[ \t\u00a0]+/g, ' ')
      .replace(/ ?\n ?/g, '\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim();
  }
}

function separator(last: PdfPiece, next: PdfPiece): string {
  const size = Math.max(1, Math.min(last.size, next.size));
  const down = Math.abs(last.y - next.y);
  if (down > Math.max(last.size, next.size) * 1.9) return '\n\n';
  // Raised and lowered letters stay on their line.
  if (down > size * 0.6) return '\n';
  const gap = next.x - last.endX;
  if (gap < -size * 2) return '\n';
  if (gap > size * 0.17 && !last.text.endsWith(' ') && !next.text.startsWith(' ')) return ' ';
  return '';
}
