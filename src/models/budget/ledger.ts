import { ok, type Result } from '../../lib/result.ts';
import { Books } from './books.ts';
import type { LedgerRecord } from './records.ts';

/** Where reservations and their final costs are recorded, in one order for all processes that share it. */
export interface Ledger {
  /** As of the last append or refresh. */
  readonly books: Books;
  /** True when other processes may write to it too: a waiting request has to look again. */
  readonly isShared: boolean;
  /** Appends a record. When this is ok the books include it, and all records before it. */
  append(record: LedgerRecord): Result<void>;
  /** Reads records that other processes have written. */
  refresh(): Result<void>;
  /** For a report: the books with all that other processes have written until now. */
  readAll(): Books;
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
    readAll: () => books,
    close() {},
  };
}
