import type { TextKind } from '../../lib/text/hidden-characters.ts';
import type { Span } from './style.ts';
import type { Theme } from './theme.ts';
import type { Highlighter } from './tokens.ts';

export interface MarkdownOptions {
  width: number;
  theme: Theme;
  /** Without one code is shown plain. */
  highlighter?: Highlighter | undefined;
  /** What of it counts as hidden; `prose` unless it is to be approved. */
  reading?: TextKind;
  /** It goes on from what was shown before: see `Piece`. */
  joins?: boolean;
}

/** What blocks inside of blocks are rendered with. */
export interface Inner extends MarkdownOptions {
  depth: number;
  inside(markdown: string, options: Inner): Span[][];
}
