import type { Highlighter, NamedPlace, Theme } from './text/index.ts';

/** Lines are never laid out for fewer cells; a narrower screen cuts them. */
export const minWidth = 20;

/** Everything drawing depends on besides its subject. */
export interface Drawing {
  /** In cells. */
  readonly width: number;
  readonly theme: Theme;
  /** Code is plain until it is loaded. */
  readonly highlighter?: Highlighter;
  /** The user's home directory, written as `~`. */
  readonly home: string;
  /** Directories with shorter names, for text that is only glanced at. */
  readonly places: readonly NamedPlace[];
  /** The clock's time. */
  readonly now: number;
  /** For a screen reader: words for signs, no frames, nothing that moves. */
  readonly plain: boolean;
  /** Printed lines cannot be taken back, so anything that moves is left out. */
  readonly isDumb?: boolean;
}
