import { ok, type Result } from '../../lib/result.ts';
import type { Engine } from '../../remote/engine.ts';
import { openRow } from '../../remote/sealed-rows.ts';

export interface RowReader {
  /** How many rows were read, accepted or not: reading continues there. */
  readonly after: number;
  /** New rows that an accepted worker signed. */
  next(): Promise<Result<string[]>>;
}

const pageRows = 50;

/** Reads what workers store of a job. `met` is called for a signer that is not accepted: its rows are passed over. */
export function openRowReader(
  engine: Pick<Engine, 'read'>,
  at: { jobId: string; stream: string; after?: number },
  { accepts, met }: { accepts(signer: string): boolean; met(signer: string): void },
): RowReader {
  const { jobId, stream } = at;
  let after = at.after ?? 0;
  const seen = new Set<string>();
  return {
    get after() {
      return after;
    },
    async next() {
      const rows = await engine.read(jobId, stream, after, pageRows);
      if (!rows.ok) return rows;
      const bodies: string[] = [];
      for (const { seq, body } of rows.value) {
        after = seq;
        const row = openRow(jobId, stream, body);
        if (!row || seen.has(row.key)) continue;
        if (!accepts(row.signer)) {
          met(row.signer);
          continue;
        }
        seen.add(row.key);
        bodies.push(row.body);
      }
      return ok(bodies);
    },
  };
}
