import { errorResult, type ToolContext, type ToolResult, textResult } from '../protocol/tool.ts';
import { defaultPages, pdfText, renderPdf } from './pdf.ts';

const maxAtOnce = 100;
const maxCharacters = 50_000;

/** The text of some pages of a PDF document: as many as fit, and where to go on. */
export async function readPdf(
  path: string,
  bytes: Uint8Array,
  pages: string | undefined,
  context: ToolContext,
): Promise<ToolResult> {
  const { first, last } = rangeOf(pages);
  if (first < 1 || last < first) return errorResult(`pages "${pages}" is no range of pages; the first is 1.`);
  const { clock, signal } = context;
  const read = await pdfText(bytes, { clock, signal, first, last, maxCharacters });
  if (!read.ok)
    return errorResult(`${path} is a PDF document whose text cannot be read: ${read.problem.message}`);
  return textResult(renderPdf(read.value), {
    type: 'pdf',
    filePath: path,
    firstPage: first,
    numPages: read.value.pages.length,
    totalPages: read.value.total,
  });
}

function rangeOf(pages: string | undefined): { first: number; last: number } {
  if (pages === undefined) return { first: 1, last: defaultPages };
  const [first = 1, last = first] = pages.split('-').map(Number);
  return { first, last: Math.min(last, first + maxAtOnce - 1) };
}
