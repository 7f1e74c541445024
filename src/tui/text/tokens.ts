import type { StyleName } from './theme.ts';

/** Text with a meaning in its language. */
export interface Token {
  readonly text: string;
  readonly name: StyleName;
}

/** A highlighter. It is loaded when code is first shown, and caches its results for a while. */
export interface Highlighter {
  /** The lines of the code, or undefined for an unknown language. */
  tokens(code: string, language: string): readonly (readonly Token[])[] | undefined;
}
