/** A file as it was before and after; text is null where there is no file. */
export interface ComparedFile {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
  /** Why it cannot be compared. */
  readonly hidden?: string;
  readonly added: number;
  readonly removed: number;
}

/** Drawn once at each width. */
export type ChangeCache = WeakMap<ComparedFile, { width: number; lines: string[] }>;
