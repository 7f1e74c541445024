import type { Highlighter, Theme } from './text/index.ts';

/** All that drawing depends on besides what is drawn. */
export interface Drawing {
  /** In cells. */
  readonly width: number;
  readonly theme: Theme;
  /** Code is plain until it is loaded. */
  readonly highlighter?: Highlighter;
  /** The user's own directory, written as `~`. */
  readonly home: string;
  /** What the clock says. */
  readonly now: number;
  /** For a screen reader: words for signs, no frames, nothing that moves. */
  readonly plain: boolean;
}
