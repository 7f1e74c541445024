import type { Drawing } from '../drawing.ts';
import { paint } from '../text/style.ts';
import type { StyleName } from '../text/theme.ts';
import { width } from '../text/width.ts';
import { wrap } from '../text/wrap.ts';

/** Text in one of the theme's looks. */
export function styled(drawing: Drawing, name: StyleName, text: string): string {
  return paint(drawing.theme.styles[name], text);
}

/** Lines after a first mark and indented below it. */
export function hang(lines: readonly string[], first: string, next = ' '.repeat(width(first))): string[] {
  return lines.map((line, index) => (index === 0 ? first : next) + line);
}

/** Words wrapped after a mark. The text is ours, or already made safe to show. */
export function hangText(text: string, first: string, drawing: Drawing): string[] {
  return hang(wrap(text, Math.max(10, drawing.width - width(first))), first);
}

/** The sign, or the word that a screen reader says for it. */
export function sign(drawing: Drawing, glyph: string, word: string): string {
  const mark = drawing.plain ? word : glyph;
  return mark === '' ? '' : `${mark} `;
}

/** Before a row that can be chosen. */
export function pointer(isUnder: boolean, drawing: Drawing): string {
  return isUnder ? (drawing.plain ? '> ' : '❯ ') : '  ';
}

/** Our own words, with signs replaced for a screen reader. */
export function spoken(drawing: Drawing, text: string): string {
  return drawing.plain ? text.replaceAll(' · ', ', ').replaceAll('≤ ', 'at most ') : text;
}

/** At most so many; a first line says how many more there are. */
export function keepLast(lines: readonly string[], most: number, drawing: Drawing): string[] {
  if (lines.length <= most) return [...lines];
  const left = lines.length - most + 1;
  return [styled(drawing, 'dim', `… ${left} lines above`), ...lines.slice(left)];
}
