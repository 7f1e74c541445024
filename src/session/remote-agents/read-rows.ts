import { ok, type Result } from '../../lib/result.ts';
import type { Engine } from '../../remote/engine.ts';
import { openRow } from '../../remote/sealed-rows.ts';

export interface RowReader {
  /** A later reader begins behind these rows: all were read, and none was passed over. */
  readonly after: number;
  /** There may be more than were read by now. */
  readonly hasMore: boolean;
  /** New rows that an accepted worker signed. */
  next(): Promise<Result<string[]>>;
}

const pageRows = 50;
/** Anybody who can write to the engine can sign rows by many keys. */
const maxPassed = 20;

/**
 * Reads what workers store of a job. `met` is called once for a signer that is not accepted: its rows are passed over, and read once it
 * is accepted.
 */
export function openRowReader(
  engine: Pick<Engine, 'read'>,
  at: { jobId: string; subject: string; stream: string; after?: number },
  { accepts, met }: { accepts(signer: string): boolean; met(signer: string): void },
): RowReader {
  const { jobId, subject, stream } = at;
  let after = at.after ?? 0;
  let hasMore = false;
  const seen = new Set<string>();
  /** The first row of each signer that was passed over. */
  const passed = new Map<string, number>();
  const goBack = () => {
    for (const [signer, seq] of passed)
      if (accepts(signer)) {
        passed.delete(signer);
        after = Math.min(after, seq - 1);
      }
  };
  return {
    get after() {
      return Math.min(after, ...[...passed.values()].map((seq) => seq - 1));
    },
    get hasMore() {
      return hasMore;
    },
    async next() {
      goBack();
      const rows = await engine.read(jobId, stream, after, pageRows);
      if (!rows.ok) return rows;
      const bodies: string[] = [];
      hasMore = rows.value.length === pageRows;
      for (const { seq, body } of rows.value) {
        after = seq;
        const row = openRow(subject, stream, body);
        if (!row || seen.has(row.key)) continue;
        if (!accepts(row.signer)) {
          const first = passed.get(row.signer);
          if (first === undefined && passed.size >= maxPassed) continue;
          if (first === undefined) met(row.signer);
          passed.set(row.signer, Math.min(seq, first ?? seq));
          continue;
        }
        seen.add(row.key);
        bodies.push(row.body);
      }
      return ok(bodies);
    },
  };
}
