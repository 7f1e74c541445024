import type { StyleName } from './theme.ts';

/** Text that means something in its language. */
export interface Token {
  readonly text: string;
  readonly name: StyleName;
}

/** Knows languages. It is loaded when code is first shown, and keeps what it worked out for a while. */
export interface Highlighter {
  /** The lines of the code, or undefined for a language it does not know. */
  tokens(code: string, language: string): readonly (readonly Token[])[] | undefined;
}
