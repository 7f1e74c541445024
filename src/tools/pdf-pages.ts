import { type ContentContext, drawText } from './pdf-content.ts';
import { PdfLayout } from './pdf-layout.ts';
import type { PdfObjects } from './pdf-objects.ts';
import type { PdfDictionary, PdfValue } from './pdf-syntax.ts';

/** A page with what it inherits from the groups that it stands in. */
export interface PdfPage {
  dictionary: PdfDictionary;
  resources: PdfDictionary;
}

const maxPages = 20_000;

/** In order. A group that stands in itself is visited once. */
export function findPages(objects: PdfObjects): PdfPage[] {
  const pages: PdfPage[] = [];
  const seen = new Set<PdfDictionary>();
  const visit = (node: PdfValue | undefined, inherited: PdfDictionary, depth: number): void => {
    const dictionary = objects.dictionary(node);
    if (dictionary.size === 0 || seen.has(dictionary) || depth > 60 || pages.length >= maxPages) return;
    seen.add(dictionary);
    const own = dictionary.has('Resources') ? objects.dictionary(dictionary.get('Resources')) : inherited;
    const kids = objects.list(dictionary.get('Kids'));
    if (kids.length === 0 && objects.name(dictionary.get('Type')) !== 'Pages')
      pages.push({ dictionary, resources: own });
    for (const kid of kids) visit(kid, own, depth + 1);
  };
  visit(objects.root().get('Pages'), new Map(), 0);
  return pages.length > 0 ? pages : strayPages(objects);
}

/** Of a file whose tree is broken: its pages in the order in which they stand. */
function strayPages(objects: PdfObjects): PdfPage[] {
  return [...objects.dictionaries()]
    .filter((dictionary) => objects.name(dictionary.get('Type')) === 'Page')
    .slice(0, maxPages)
    .map((dictionary) => ({ dictionary, resources: objects.dictionary(dictionary.get('Resources')) }));
}

const maxForms = 5_000;

export function readPageText(
  page: PdfPage,
  common: Omit<ContentContext, 'forms'>,
): { text: string; unknown: number } {
  const context = { ...common, forms: { left: maxForms } };
  const { objects } = context;
  const layout = new PdfLayout();
  const contents = objects.resolve(page.dictionary.get('Contents'));
  const streams = Array.isArray(contents) ? contents.slice(0, 1000) : [contents];
  const pieces = streams.flatMap((stream) => {
    const data = objects.data(stream);
    return data ? [data, Buffer.from('\n')] : [];
  });
  // One text, since an operator may stand across the border of two streams.
  drawText(Buffer.concat(pieces), page.resources, context, layout);
  return { text: layout.text(), unknown: layout.unknown };
}
