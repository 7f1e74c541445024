import type { TextKind } from '../../lib/text/hidden-characters.ts';
import { countLines } from '../../lib/text/text.ts';
import { boundText, showParts } from './controls.ts';
import { paint, paintSpans, plain, type Span, type Style } from './style.ts';
import type { Theme } from './theme.ts';
import { wrapSpans } from './wrap.ts';

export interface OutputOptions {
  width: number;
  theme: Theme;
  /** Counted in the text, before it is wrapped. */
  maxLines?: number;
  keep?: 'head' | 'tail' | 'both';
  /** How many lines the text had before it was shortened for the view. */
  allLines?: number | undefined;
  style?: Style;
  /** How to see the lines that are left out, such as ` (ctrl-o opens)`. */
  hint?: string;
  /** Which characters count as hidden; `prose`, as for a document, unless the text is part of a question. */
  reading?: TextKind;
}

/** Output of a tool or program: bounded first, then shown as it is, each line whole. */
export function renderOutput(text: string, options: OutputOptions): string[] {
  const { width, theme, maxLines = 40, keep = 'head', style = plain, reading = 'prose', hint = '' } = options;
  const bounded = boundText(text.replace(/\n$/, ''), { maxLines, keep: keep === 'both' ? 'head' : keep });
  // The line saying so would replace the one line it is about.
  if (bounded.left === 1) return renderOutput(text, { ...options, maxLines: maxLines + 1 });
  const note = `… ${bounded.left + countMissing(text, options)} more lines${hint}`;
  if (keep === 'both' && bounded.left > 0) return renderEnds(text, options);
  const lines = renderShown(bounded.text, { width, theme, style, reading });
  if (bounded.left === 0) return lines;
  const more = paint(theme.styles.dim, note);
  return keep === 'tail' ? [more, ...lines] : [...lines, more];
}

function renderEnds(text: string, options: OutputOptions): string[] {
  const { maxLines = 40, hint = '' } = options;
  const half = Math.max(1, Math.floor(maxLines / 2));
  const head = renderOutput(text, { ...options, keep: 'head', maxLines: maxLines - half });
  const tail = renderOutput(text, { ...options, keep: 'tail', maxLines: half });
  const left = boundText(text.replace(/\n$/, ''), { maxLines }).left + countMissing(text, options);
  return [...head.slice(0, -1), paint(options.theme.styles.dim, `… ${left} lines${hint}`), ...tail.slice(1)];
}

/** Lines that are not in the text any more. */
function countMissing(text: string, { allLines }: OutputOptions): number {
  return allLines === undefined ? 0 : Math.max(0, allLines - countLines(text));
}

/** Outside text in lines; replaced controls are highlighted, so they cannot be taken for text. */
export function renderShown(
  text: string,
  {
    width,
    theme,
    style = plain,
    reading = 'all',
  }: Pick<OutputOptions, 'width' | 'theme' | 'style' | 'reading'>,
): string[] {
  return wrapSpans(shownSpans(text, theme, style, reading), width, { hard: true }).map(paintSpans);
}

export function shownSpans(text: string, theme: Theme, style: Style, reading: TextKind = 'all'): Span[] {
  return showParts(text, reading).map((part) => ({
    text: part.text,
    style: part.isControl ? theme.styles.control : style,
  }));
}
