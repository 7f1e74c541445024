import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import { isSameProcess, type ProcessMark } from '../../lib/process-mark.ts';
import { ok, type Result } from '../../lib/result.ts';
import { fileLedger } from './file-ledger.ts';
import { type Ledger, memoryLedger } from './ledger.ts';
import type { LedgerRecord } from './records.ts';
import { reportOf } from './report.ts';
import { seedLedger } from './seed-ledger.ts';

/** Records wait this long for their writing, so that no request waits for it. */
const delayMs = 200;

/**
 * The ledger of a session without a cap: nothing depends on it at the moment, so it is written a little later. A kill
 * loses what was not written yet; with a cap that would not do.
 */
export function deferredLedger(
  path: string,
  parts: { clock: Clock; ids: Ids; owner: ProcessMark },
): Result<Ledger> {
  const file = fileLedger(path);
  const read = file.refresh();
  if (!read.ok) return read;
  const memory = memoryLedger();
  const seeded = seedLedger(memory, reportOf(file.books, isSameProcess).rows, parts);
  if (!seeded.ok) return seeded;
  let pending: LedgerRecord[] = [];
  let cancel: (() => void) | undefined;
  const flush = () => {
    cancel?.();
    cancel = undefined;
    // A disk that is full costs the account of what was spent, not the session.
    for (const record of pending.splice(0)) if (!file.append(record).ok) pending = [];
  };
  return ok({
    books: memory.books,
    isShared: false,
    append(record) {
      pending.push(record);
      cancel ??= parts.clock.after(delayMs, flush);
      return memory.append(record);
    },
    refresh: () => ok(undefined),
    close() {
      flush();
      file.close();
    },
  });
}
