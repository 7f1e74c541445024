import { highlightSpans } from './highlight.ts';
import { closesFence, readFence } from './markdown-lines.ts';
import type { Inner } from './markdown-options.ts';
import type { Span } from './style.ts';
import { truncate, wrapSpans } from './wrap.ts';

const indent = '  ';

/** A fenced block: its language, then the code, each line whole. `lines` start with the fence and may lack its end. */
export function renderCode(lines: readonly string[], options: Inner): Span[][] {
  const { theme, highlighter, width } = options;
  const fence = readFence(lines[0] ?? '');
  if (!fence) return [];
  const isClosed = lines.length > 1 && closesFence(lines.at(-1) ?? '', fence);
  const outdent = new RegExp(`^ {0,${fence.indent}}`);
  // Text that ends with a newline has no line after it.
  const isEnded = isClosed || (lines.length > 1 && lines.at(-1) === '');
  const code = lines.slice(1, isEnded ? -1 : undefined).map((line) => line.replace(outdent, ''));
  const painted = highlightSpans(code.join('\n'), fence.language, theme, highlighter);
  const margin = width >= 20 ? indent : '';
  const label: Span[][] =
    fence.language === '' || options.joins
      ? []
      : [
          [
            {
              text: truncate(`${margin}${theme.words ? `Code, ${fence.language}:` : fence.language}`, width),
              style: theme.styles.dim,
            },
          ],
        ];
  const body = painted.flatMap((line) => wrapSpans(line, width - margin.length, { hard: true }));
  return [...label, ...body.map((line) => (line.length === 0 ? [] : [{ text: margin, style: {} }, ...line]))];
}
