import { boundText, showControls } from './controls.ts';
import { renderCode } from './markdown-code.ts';
import { renderInline } from './markdown-inline.ts';
import {
  isHeading,
  isQuote,
  isRule,
  isUnderline,
  measureIndent,
  readFence,
  readMarker,
  trimBlanks,
} from './markdown-lines.ts';
import { renderItem } from './markdown-list.ts';
import type { Inner, MarkdownOptions } from './markdown-options.ts';
import { findTable, renderTable } from './markdown-table.ts';
import { splitBlocks } from './stream.ts';
import { over, paintSpans, plain, type Span } from './style.ts';
import { wrapSpans } from './wrap.ts';

/** Longer text is shown plain: it is too much to read at once, and may be crafted to be slow. */
const maxMarkdown = 512 * 1024;
const maxDepth = 8;

/** Markdown as painted lines of at most `width` cells. The terminal executes nothing in the text. */
export function renderMarkdown(markdown: string, options: MarkdownOptions): string[] {
  if (markdown.length > maxMarkdown) return renderPlain(markdown, options);
  const shown = showControls(markdown, options.reading ?? 'prose');
  return renderBlocks(shown, { ...options, depth: 0, inside: renderBlocks }).map(paintSpans);
}

function renderPlain(text: string, { width, reading = 'prose' }: MarkdownOptions): string[] {
  const { text: bounded, left } = boundText(text, { maxLines: 5000 });
  const lines = wrapSpans([{ text: showControls(bounded, reading), style: plain }], width).map(paintSpans);
  return left === 0 ? lines : [...lines, `… ${left} more lines`];
}

function renderBlocks(markdown: string, options: Inner): Span[][] {
  return splitBlocks(markdown).flatMap((piece, index) => {
    const joins = index === 0 ? options.joins === true : piece.joins;
    const lines = renderBlock(piece.markdown, { ...options, joins });
    return index === 0 || joins ? lines : [[], ...lines];
  });
}

function renderBlock(text: string, options: Inner): Span[][] {
  const lines = text.split('\n');
  const [first = ''] = lines;
  if (readFence(first)) return renderCode(lines, options);
  if (isHeading(first)) return renderHeading(first, options);
  if (isRule(first)) return renderRule(options);
  if (options.depth >= maxDepth) return renderParagraph(text, options);
  if (readMarker(first)) return renderItem(lines, options);
  if (isQuote(first)) return renderQuote(lines, options);
  if (measureIndent(first) >= 4) return renderIndented(lines, options);
  return renderLines(lines, options);
}

function renderRule({ width, theme }: Inner): Span[][] {
  return theme.words ? [] : [[{ text: '─'.repeat(width), style: theme.styles.border }]];
}

function renderHeading(line: string, options: Inner): Span[][] {
  const [opening = '', marks = '#'] = /^ *(#{1,6}) */.exec(line) ?? [];
  const text = trimBlanks(line.slice(opening.length)).replace(/(?:^| )#+$/, '');
  return drawHeading(text, marks.length, options);
}

function drawHeading(text: string, level: number, options: Inner): Span[][] {
  const { heading } = options.theme.styles;
  const style = level === 1 && options.theme.attributes ? over(heading, { underline: true }) : heading;
  // If nothing can be bold, the marks show what it is.
  const marks = options.theme.attributes ? '' : `${'#'.repeat(level)} `;
  return wrapSpans([{ text: marks, style }, ...renderInline(text, options.theme, style)], options.width);
}

function renderQuote(lines: readonly string[], options: Inner): Span[][] {
  const inner = lines.map((line) => line.replace(/^ {0,3}> ?/, '')).join('\n');
  const { width, depth, theme } = options;
  const bar: Span = { text: '│ ', style: theme.styles.border };
  if (width < 8) return renderParagraph(inner, options);
  const quoted = theme.words ? `Quote: ${inner}` : inner;
  const rows = options.inside(quoted, { ...options, width: width - 2, depth: depth + 1, joins: false });
  return theme.words ? rows : rows.map((line) => [bar, ...line]);
}

function renderIndented(lines: readonly string[], options: Inner): Span[][] {
  return renderCode(['```', ...lines.map((line) => line.replace(/^ {1,4}/, ''))], options);
}

/** A paragraph, which may turn out to be a heading or to hold a table. */
function renderLines(lines: readonly string[], options: Inner): Span[][] {
  const last = lines.at(-1) ?? '';
  if (lines.length > 1 && isUnderline(last))
    return drawHeading(lines.slice(0, -1).join(' '), last.includes('=') ? 1 : 2, options);
  const table = findTable(lines);
  if (!table) return renderParagraph(lines.join('\n'), options);
  const before = table.from === 0 ? [] : renderParagraph(lines.slice(0, table.from).join('\n'), options);
  return [...before, ...renderTable(table, options)];
}

function renderParagraph(text: string, { theme, width }: Inner): Span[][] {
  return wrapSpans(renderInline(text, theme), width);
}
