import { convertDocument } from '../../convert/convert.ts';
import { failure, ok, type Result } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import type { ToolContext } from '../../protocol/tool.ts';
import { fileKind } from '../files/file-kind.ts';
import type { Reply } from './web-fetch-request.ts';

export interface PageText {
  text: string;
  /** Its kind, in a word or two. */
  kind: string;
  title?: string | undefined;
}

/** The text of a reply. The bytes decide its kind if they are clear; the header says which kind of text. */
export async function readPage(reply: Reply, context: ToolContext): Promise<Result<PageText>> {
  const { body, type } = reply;
  const media = type.split(';')[0]?.trim() ?? '';
  const kind = fileKind(body);
  if (kind.kind === 'image' || /^image\/(?!svg)/.test(media))
    return failure(`is an image (${visibleLine(media, 60)}), which WebFetch does not show.`);
  if (kind.kind === 'pdf') return await readPdf(body, context);
  if (kind.kind === 'binary' || /^(audio|video|font)\//.test(media))
    return failure(`is not text (${visibleLine(media, 60) || 'of unknown type'}, ${body.length} bytes).`);
  const text = decodePage(body, type).toWellFormed();
  if (!isHtml(media, text)) return ok({ text, kind: media === '' ? 'text' : visibleLine(media, 60) });
  return await readHtml(text, reply.url, context);
}

async function readHtml(html: string, base: string, context: ToolContext): Promise<Result<PageText>> {
  const { clock, signal } = context;
  const read = await convertDocument({ kind: 'html', base }, Buffer.from(html), { clock, signal });
  if (!read.ok) return failure(`is a page that cannot be converted to Markdown: ${read.problem.message}`);
  return ok({ ...read.value, kind: 'HTML as Markdown' });
}

async function readPdf(body: Uint8Array, context: ToolContext): Promise<Result<PageText>> {
  const { readWholePdf } = await import('../files/read-pdf.ts');
  const read = await readWholePdf(body, context);
  if (!read.ok) return failure(`is a PDF whose text cannot be read: ${read.problem.message}`);
  return ok({ text: read.value, kind: 'PDF as text' });
}

/** A page without a declared type is examined. */
function isHtml(media: string, text: string): boolean {
  if (media === 'text/html' || media === 'application/xhtml+xml') return true;
  return media === '' && /^\s*(<!doctype html|<html[\s>])/i.test(text.slice(0, 1000));
}

/** By its byte order mark, else by the header, else by the page's own declaration, else UTF-8. */
function decodePage(body: Uint8Array, type: string): string {
  const label =
    readByteOrderMark(body) ??
    /charset\s*=\s*"?([\w:.-]+)/.exec(type)?.[1] ??
    /<meta[^>]+charset\s*=\s*["']?([\w:.-]+)/i.exec(
      Buffer.from(body.subarray(0, 2048)).toString('latin1'),
    )?.[1];
  return createDecoder(label).decode(body);
}

function readByteOrderMark(body: Uint8Array): string | undefined {
  if (body[0] === 0xff && body[1] === 0xfe) return 'utf-16le';
  if (body[0] === 0xfe && body[1] === 0xff) return 'utf-16be';
  return undefined;
}

function createDecoder(label: string | undefined): { decode(bytes: Uint8Array): string } {
  try {
    return new TextDecoder((label ?? 'utf-8') as 'utf-8');
  } catch {
    return new TextDecoder();
  }
}
