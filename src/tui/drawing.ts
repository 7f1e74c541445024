import type { Highlighter, NamedPlace, Theme } from './text/index.ts';

/** All that drawing depends on besides what is drawn. */
export interface Drawing {
  /** In cells. */
  readonly width: number;
  readonly theme: Theme;
  /** Code is plain until it is loaded. */
  readonly highlighter?: Highlighter;
  /** The user's own directory, written as `~`. */
  readonly home: string;
  /** Directories with shorter names, for what is glanced at. */
  readonly places: readonly NamedPlace[];
  /** What the clock says. */
  readonly now: number;
  /** For a screen reader: words for signs, no frames, nothing that moves. */
  readonly plain: boolean;
  /** Nothing that was printed can be taken back: what moves is left out. */
  readonly isDumb?: boolean;
}
