import type { DocumentBlock } from '../../protocol/index.ts';

/** Text and picture of a full page. */
const tokensPerPage = 4_600;
/** A page of text alone is smaller, one of pictures larger. */
const bytesPerPage = 50_000;
/** Of a document that only its provider sees. */
const assumedPages = 20;

/**
 * What a PDF is likely to count, rather high. Its pages are counted where they can be read without unpacking; how many
 * there are is known for sure only to the provider, which reports what it counted.
 */
export function countDocumentTokens({ source }: DocumentBlock): number {
  if (source.type === 'url') return assumedPages * tokensPerPage;
  const bytes = Buffer.from(source.data, 'base64');
  const marked = bytes.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;
  return Math.max(marked, Math.ceil(bytes.length / bytesPerPage), 1) * tokensPerPage;
}
