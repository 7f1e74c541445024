import type { Clock } from '../../lib/clock.ts';
import { ok, type Result } from '../../lib/result.ts';
import { fileLedger } from './file-ledger.ts';
import type { Ledger } from './ledger.ts';
import type { LedgerRecord } from './records.ts';

/** Records wait this long for their writing, so that no request waits for it. */
const delayMs = 200;

/**
 * The ledger of a session without a cap: nothing depends on it at the moment, so it is written a little later. A kill
 * loses what was not written yet; with a cap that would not do.
 */
export function deferredLedger(path: string, { clock }: { clock: Clock }): Result<Ledger> {
  const past = fileLedger(path);
  const read = past.refresh();
  past.close();
  if (!read.ok) return read;
  // Two of them: the books of the one that writes hold a record only when it is written.
  const { books } = past;
  const file = fileLedger(path);
  let pending: LedgerRecord[] = [];
  let cancel: (() => void) | undefined;
  const flush = () => {
    cancel?.();
    cancel = undefined;
    // A disk that is full costs the account of what was spent, not the session.
    for (const record of pending.splice(0)) if (!file.append(record).ok) pending = [];
  };
  return ok({
    books,
    isShared: false,
    append(record) {
      pending.push(record);
      cancel ??= clock.after(delayMs, flush);
      books.apply(record);
      return ok(undefined);
    },
    refresh: () => ok(undefined),
    close() {
      flush();
      file.close();
    },
  });
}
