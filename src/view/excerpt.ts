/** A text that may have been shortened in its middle, and how long it was. */
export interface Excerpt {
  readonly text: string;
  readonly characters: number;
  readonly lines: number;
}
