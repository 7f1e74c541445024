import { ok, type Result } from '../../lib/result.ts';
import { Books } from './books.ts';
import type { LedgerRecord } from './records.ts';

/** Where reservations and what they came to are written down, in one order for everybody who shares it. */
export interface Ledger {
  /** As of the last append or refresh. */
  readonly books: Books;
  /** True when other processes may write to it too: whoever waits has to look again. */
  readonly isShared: boolean;
  /** Writes a record behind all others. When this is ok the books hold it, and all that came before it. */
  append(record: LedgerRecord): Result<void>;
  /** Takes in what others have written. */
  refresh(): Result<void>;
  close(): void;
}

/** The twin that keeps nothing. */
export function memoryLedger(): Ledger {
  const books = new Books();
  return {
    books,
    isShared: false,
    append(record) {
      books.apply(record);
      return ok(undefined);
    },
    refresh: () => ok(undefined),
    close() {},
  };
}
