/** How much of a text has been on the screen. */
export interface Read {
  /** The text itself: another one has not been read, however similar. */
  readonly text: string;
  /** Lines are counted at this width. */
  readonly width: number;
  /** Lines read, from the first one. */
  readonly to: number;
  readonly isWhole: boolean;
}

export interface Page {
  readonly text: string;
  readonly width: number;
  readonly from: number;
  readonly rows: number;
  readonly total: number;
}

/**
 * The part read after this page was on the screen too. A page beyond the part read would skip lines, so it is
 * ignored. Text read whole stays read at any size; text read in part is counted again at another width.
 */
export function readPage(before: Read | undefined, { text, width, from, rows, total }: Page): Read {
  const isSame = before?.text === text;
  if (isSame && before.isWhole) return before;
  const known = isSame && before.width === width ? before.to : 0;
  const to = from <= known ? Math.max(known, Math.min(total, from + rows)) : known;
  return { text, width, to, isWhole: to >= total };
}
