import type { Clock } from '../../lib/clock.ts';
import { paintSpans, plain, type Span } from './style.ts';
import type { Theme } from './theme.ts';
import type { Highlighter } from './tokens.ts';

/** Above this size, colours do not help the reader. */
const maxCode = 200 * 1024;

/** The clock tells when a grammar takes too long. */
export async function loadHighlighter(clock: Clock): Promise<Highlighter> {
  const { makeHighlighter } = await import('./highlighter.ts');
  return makeHighlighter(clock);
}

/** Code as painted lines; plain if the language is unknown, the code is long, or there is no highlighter. `code` must be free of controls. */
export function highlight(code: string, language: string, theme: Theme, highlighter?: Highlighter): string[] {
  return highlightSpans(code, language, theme, highlighter).map(paintSpans);
}

export function highlightSpans(
  code: string,
  language: string,
  theme: Theme,
  highlighter?: Highlighter,
): Span[][] {
  const plainLines = () =>
    code.split('\n').map((text): Span[] => (text === '' ? [] : [{ text, style: plain }]));
  if (!highlighter || language === '' || theme.level === 'none' || code.length > maxCode) return plainLines();
  const lines = highlighter.tokens(code, language.toLowerCase());
  if (!lines) return plainLines();
  return lines.map((line) => line.map(({ text, name }) => ({ text, style: theme.styles[name] })));
}
