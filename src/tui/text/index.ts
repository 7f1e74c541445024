export { onlyPaint, parseAnsi } from './ansi.ts';
export { wrapColumns } from './columns.ts';
export { type CommandOptions, renderCommand } from './command.ts';
export { boundLine, boundText, showControls, showLine, showParts } from './controls.ts';
export { detectTheme } from './detect-theme.ts';
export { type DiffOptions, type DiffSource, renderDiff } from './diff.ts';
export { highlight, loadHighlighter } from './highlight.ts';
export { renderMarkdown } from './markdown.ts';
export type { MarkdownOptions } from './markdown-options.ts';
export { type OutputOptions, renderOutput, renderShown } from './output.ts';
export { listPlaces, type NamedPlace, shortenPlaces } from './places.ts';
export { endStream, type MarkdownPiece, type StreamPlace, type StreamSplit, splitStream } from './stream.ts';
export { paint, paintSpans, type Span, type Style } from './style.ts';
export {
  agentStyle,
  type Background,
  type ColourLevel,
  makeTheme,
  type StyleName,
  type Theme,
} from './theme.ts';
export type { Highlighter } from './tokens.ts';
export { graphemes, width } from './width.ts';
export { pad, truncate, wrap } from './wrap.ts';
