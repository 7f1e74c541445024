import type { TextKind } from '../../lib/text/hidden-characters.ts';
import type { Span } from './style.ts';
import type { Theme } from './theme.ts';
import type { Highlighter } from './tokens.ts';

export interface MarkdownOptions {
  width: number;
  theme: Theme;
  /** Without one code is shown plain. */
  highlighter?: Highlighter | undefined;
  /** Which characters count as hidden; `prose` unless the text is to be approved. */
  reading?: TextKind;
  /** It continues the text shown before: see `Piece`. */
  joins?: boolean;
}

/** Options for blocks inside blocks. */
export interface Inner extends MarkdownOptions {
  depth: number;
  inside(markdown: string, options: Inner): Span[][];
}
