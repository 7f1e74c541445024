import stringWidth from 'string-width';

/** The number of cells text takes; colours take none. The same as `string-width`, without its cost for most text. */
export function width(text: string): number {
  if (!text.includes('\x1b')) return plainWidth(text) ?? stringWidth(text);
  return plainWidth(text.replace(painted, '')) ?? stringWidth(text);
}

/** Splits text into user-perceived characters: an emoji with its joiners, a letter with its accents. */
export function graphemes(text: string): string[] {
  if (plainWidth(text) !== undefined) return text.split('');
  return Array.from(segmenter.segment(text), (part) => part.segment);
}

/** Printable ASCII only: a character is a cell. */
export function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

const painted = /\x1b\[[\d;]*m|\x1b\]8;;[^\x1b]*\x1b\\/g;

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The width of text without combining characters, as most text is; undefined for any other. */
function plainWidth(text: string): number | undefined {
  let cells = text.length;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0x20 && code <= 0x7e) continue;
    if (isWide(code)) cells++;
    else if (!isNarrow(code)) return undefined;
  }
  return cells;
}

/** Latin, Greek, Cyrillic; punctuation, arrows, mathematics; lines, blocks and dots; pictures of controls. */
function isNarrow(code: number): boolean {
  if (code < 0x300) return code > 0xa0 && code !== 0xad;
  if (code < 0x2000)
    return (code >= 0x391 && code <= 0x3c9 && code !== 0x3a2) || (code >= 0x410 && code <= 0x44f);
  if (code < 0x2400)
    return (
      (code >= 0x2010 && code <= 0x2027) ||
      (code >= 0x2030 && code <= 0x205e) ||
      (code >= 0x2190 && code <= 0x22ff)
    );
  return (
    (code >= 0x2500 && code <= 0x25fc) ||
    (code >= 0x2800 && code <= 0x28ff) ||
    (code >= 0x2400 && code <= 0x2421) ||
    code === 0x2713 ||
    code === 0x2717 ||
    code === 0x27e8 ||
    code === 0x27e9
  );
}

/** Chinese, Japanese and Korean as usually written. */
function isWide(code: number): boolean {
  if (code < 0x3001) return false;
  return (
    (code >= 0x4e00 && code <= 0x9fff) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0x3041 && code <= 0x3096) ||
    (code >= 0x30a1 && code <= 0x30fa) ||
    (code >= 0xff01 && code <= 0xff5e) ||
    code <= 0x3002
  );
}
