/** How much of a text has been on the screen. */
export interface Read {
  /** The text itself: another one has not been read, however alike it looks. */
  readonly text: string;
  /** Lines are counted at this width. */
  readonly width: number;
  /** Lines from the first one on. */
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
 * What has been read once this page has been on the screen too. A page beyond what was read skips something, and does not
 * count. What was read whole stays read at any size; a text that was read in part is counted again at another width.
 */
export function readPage(before: Read | undefined, { text, width, from, rows, total }: Page): Read {
  const isSame = before?.text === text;
  if (isSame && before.isWhole) return before;
  const known = isSame && before.width === width ? before.to : 0;
  const to = from <= known ? Math.max(known, Math.min(total, from + rows)) : known;
  return { text, width, to, isWhole: to >= total };
}
