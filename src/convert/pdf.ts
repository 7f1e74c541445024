import { getDocumentProxy } from 'unpdf';
import { PdfLayout } from './pdf-layout.ts';
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
