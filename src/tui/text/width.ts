import stringWidth from 'string-width';

/** How many cells a text takes; colours take none. It is Ink's own measure, so that both agree on every line. */
export function width(text: string): number {
  return isAscii(text) ? text.length : stringWidth(text);
}

/** What is moved over, cut and deleted as one: an emoji with its joiners, a letter with its accents. */
export function graphemes(text: string): string[] {
  if (isAscii(text)) return text.split('');
  return Array.from(segmenter.segment(text), (part) => part.segment);
}

/** Printable ASCII only: a character is a cell. */
export function isAscii(text: string): boolean {
  return ascii.test(text);
}

const ascii = /^[\x20-\x7e]*$/;

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
