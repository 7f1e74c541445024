import { convertDocument } from '../../convert/convert.ts';
import type { PdfText } from '../../convert/request.ts';
import { failure, ok, type Result } from '../../lib/result.ts';
import { errorResult, type ToolContext, type ToolResult, textResult } from '../../protocol/tool.ts';

const defaultPages = 20;
const maxPagesAtOnce = 100;
const maxCharacters = 50_000;

/** The text of some pages of a PDF document: as many as fit, and where to continue. */
export async function readPdf(
  path: string,
  bytes: Uint8Array,
  pages: string | undefined,
  context: ToolContext,
): Promise<ToolResult> {
  const range = parseRange(pages);
  const { first, last } = range;
  if (first < 1 || last < first)
    return errorResult(`pages "${pages}" is not a range of pages; the first page is 1.`);
  const read = await readPages(bytes, { ...range, maxCharacters }, context);
  if (!read.ok) return errorResult(`The text of the PDF ${path} cannot be read: ${read.problem.message}`);
  return textResult(renderPdf(read.value), {
    type: 'pdf',
    filePath: path,
    firstPage: first,
    numPages: read.value.pages.length,
    totalPages: read.value.total,
  });
}

/** All of a short document. */
export async function readWholePdf(bytes: Uint8Array, context: ToolContext): Promise<Result<string>> {
  const read = await readPages(bytes, { first: 1, last: 200, maxCharacters: 1_000_000 }, context);
  return read.ok ? ok(renderPdf(read.value)) : read;
}

async function readPages(
  bytes: Uint8Array,
  range: { first: number; last: number; maxCharacters: number },
  { clock, signal }: ToolContext,
): Promise<Result<PdfText>> {
  const read = await convertDocument({ kind: 'pdf', ...range }, bytes, { clock, signal });
  if (!read.ok) return failure(explain(read.problem.message));
  const { total } = read.value;
  return range.first > total
    ? failure(`it has ${total} ${total === 1 ? 'page' : 'pages'}, so there is no page ${range.first}.`)
    : read;
}

/** Turns messages of pdf.js into ours. */
function explain(message: string): string {
  if (/password/i.test(message))
    return 'it is encrypted. Make a readable copy with `qpdf --decrypt` in Bash.';
  if (/^it /.test(message) || message.startsWith('the converter')) return message;
  return `it is damaged (${message}).`;
}

function parseRange(pages: string | undefined): { first: number; last: number } {
  if (pages === undefined) return { first: 1, last: defaultPages };
  const [first = 1, last = first] = pages.split('-').map(Number);
  return { first, last: Math.min(last, first + maxPagesAtOnce - 1) };
}

/** Page by page, with notes about the rest. */
function renderPdf({ pages, total }: PdfText): string {
  const first = pages[0]?.number ?? 1;
  const last = pages.at(-1)?.number ?? first;
  const body = pages.map(({ number, text }) => `--- page ${number} ---\n${text || '(no text)'}`).join('\n\n');
  const isEmpty = pages.every(({ text }) => text === '');
  const notes = [
    last - first + 1 < total ? `Pages ${first}-${last} of ${total}.` : '',
    last < total ? `Continue with pages "${last + 1}-${Math.min(total, last + defaultPages)}".` : '',
    isEmpty ? 'No text found: the pages may be images. Convert them with `pdftoppm` in Bash.' : '',
  ].filter((note) => note !== '');
  return notes.length > 0 ? `${body}\n\n[${notes.join(' ')}]` : body;
}
