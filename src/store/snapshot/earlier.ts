import { breather } from '../../lib/breathe.ts';
import { timestamp } from '../../lib/clock.ts';
import type { FileHistoryRecord } from '../../protocol/record.ts';
import { isSameLook, lookAfter } from '../files/file-look.ts';
import type { ChangeParts } from './changes.ts';
import { describeLook } from './entry.ts';
import { inspect } from './inspect.ts';

/** At most this many are compared when a session resumes, before its first prompt. */
const maxCompared = 1_000;

/** Files that commands of an earlier run of the session changed, as it left them. */
export class EarlierFiles {
  readonly #records: Map<string, FileHistoryRecord>;
  #isCompared = false;

  constructor(records: readonly FileHistoryRecord[]) {
    this.#records = new Map(records.map((record) => [record.path, record]));
  }

  /** Changes made while the session was closed do not belong to the next prompt. */
  async compare({ append, clock }: ChangeParts): Promise<void> {
    if (this.#isCompared) return;
    this.#isCompared = true;
    const breathe = breather();
    for (const record of [...this.#records.values()].slice(-maxCompared)) {
      await breathe();
      const before = lookAfter(record);
      const entry = inspect(record.path, clock)?.entry;
      const now = entry ? describeLook(entry) : { hash: null };
      if (!before || isSameLook(before, now)) continue;
      const noted: FileHistoryRecord = {
        type: 'file-history',
        timestamp: timestamp(clock),
        toolUseId: '',
        path: record.path,
        before: before.hash,
        after: now.hash,
        cause: 'outside',
        mode: before.mode,
        modeAfter: now.mode,
      };
      if (append(noted).ok) this.#records.set(record.path, noted);
    }
  }

  /** From here on the snapshot knows them: a file that differs from how it was left was changed outside the session. */
  handOver({ cover, noted }: ChangeParts, isEdited: (path: string) => boolean): boolean {
    const hasAny = this.#records.size > 0;
    for (const record of this.#records.values()) {
      const known = lookAfter(record);
      noted.add(record.path);
      if (!known || known.hash === null || isEdited(record.path)) continue;
      const { hash: state, mode } = known;
      const blob = cover.entries.get(record.path)?.blob;
      cover.entries.set(record.path, { isFresh: true, isNoted: true, state, mode, blob });
    }
    this.#records.clear();
    return hasAny;
  }

  forget(path: string): void {
    this.#records.delete(path);
  }
}
