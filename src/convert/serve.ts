import { endWithParent } from '../lib/processes/end-with-parent.ts';
import { formatError } from '../lib/result.ts';
import type { ConvertReply, ConvertRequest, HtmlText, PdfText } from './request.ts';

/**
 * The converting process: reads one document from stdin, writes its text to stdout, ends. Its limits are set from
 * outside.
 */
export async function serveConversion(): Promise<number> {
  endWithParent();
  const input = await readAll(process.stdin);
  const lineEnd = input.indexOf(10);
  const request = JSON.parse(input.toString('utf8', 0, lineEnd)) as ConvertRequest;
  const reply = await convert(request, input.subarray(lineEnd + 1));
  await new Promise((written) => process.stdout.write(`${JSON.stringify(reply)}\n`, written));
  return 0;
}

async function convert(request: ConvertRequest, bytes: Uint8Array): Promise<ConvertReply> {
  try {
    return { ok: true, value: await convertDocument(request, bytes) };
  } catch (error) {
    return { ok: false, reason: formatError(error) };
  }
}

async function convertDocument(request: ConvertRequest, bytes: Uint8Array): Promise<PdfText | HtmlText> {
  if (request.kind === 'html') {
    const { htmlToMarkdown } = await import('./html.ts');
    return htmlToMarkdown(Buffer.from(bytes).toString('utf8'), request.base);
  }
  const { readPdfPages } = await import('./pdf.ts');
  return await readPdfPages(bytes, request);
}

async function readAll(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
