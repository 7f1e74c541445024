/** Text whose middle may have been cut out, and its original length. */
export interface Excerpt {
  readonly text: string;
  readonly characters: number;
  readonly lines: number;
}
