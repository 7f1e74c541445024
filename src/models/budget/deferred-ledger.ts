import type { Clock } from '../../lib/clock.ts';
import { ok, type Result } from '../../lib/result.ts';
import { fileLedger } from './file-ledger.ts';
import type { Ledger } from './ledger.ts';
import type { LedgerRecord } from './records.ts';

/** Records are written after this delay, so that no request waits for it. */
const delayMs = 200;

/**
 * The ledger of a session without a cap: nothing depends on it at the moment, so it is written a little later. A kill
 * loses unwritten records, which would not be acceptable with a cap.
 */
export function deferredLedger(
  path: string,
  { clock, check }: { clock: Clock; check?: () => Result<void> },
): Result<Ledger> {
  const past = fileLedger(path);
  const read = past.refresh();
  past.close();
  if (!read.ok) return read;
  // Two of them: the writer's books hold a record only once it is written.
  const { books } = past;
  const file = fileLedger(path, check);
  let pending: LedgerRecord[] = [];
  let cancel: (() => void) | undefined;
  /** The file lacks records of this process. */
  let isBehind = false;
  const flush = () => {
    cancel?.();
    cancel = undefined;
    // A full disk costs the record of spending, not the session.
    for (const record of pending.splice(0))
      if (!file.append(record).ok) {
        isBehind = true;
        pending = [];
      }
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
    readAll() {
      flush();
      return isBehind ? books : file.readAll();
    },
    close() {
      flush();
      file.close();
    },
  });
}
