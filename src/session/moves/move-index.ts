import { z } from 'zod';
import { hashBytes } from '../../lib/hash.ts';
import { ok, type Result } from '../../lib/result.ts';
import type { MovedTo } from '../../protocol/index.ts';
import type { Engine } from '../../remote/engine.ts';
import { parseQuietly } from '../../remote/job.ts';
import type { JobKey } from '../../remote/keys.ts';
import { openCursor, sendRow } from '../../remote/sealed-rows.ts';

const entrySchema = z.object({
  session: z.uuid(),
  /** Null: it is back. */
  job: z.object({ jobId: z.string(), engine: z.string(), name: z.string() }).nullable(),
  title: z.string(),
});

/** A session of a user that was moved, as any machine with the user's key finds it. */
export interface MovedEntry {
  session: string;
  job: MovedTo | null;
  title: string;
}

const stream = 'moves';

/** Where the sessions of a key are listed on an engine. */
function nameIndex(key: JobKey): string {
  return `moves-${hashBytes(key.name).slice(0, 40)}`;
}

export function noteMove(
  engine: Engine,
  key: JobKey,
  entry: MovedEntry & { from?: string },
): Promise<Result<void>> {
  const { from = '', ...body } = entry;
  const row = { stream, key: entry.job ? entry.job.jobId : `${from} back`, body: JSON.stringify(body) };
  return sendRow(engine, key, nameIndex(key), row);
}

/** Those that are on workers now. */
export async function listMoves(
  engine: Engine,
  key: JobKey,
): Promise<Result<(MovedEntry & { job: MovedTo })[]>> {
  const rows = await openCursor(engine, nameIndex(key), stream, (signer) => signer === key.name)();
  if (!rows.ok) return rows;
  const newest = new Map<string, MovedEntry>();
  for (const { body } of rows.value) {
    const entry = entrySchema.safeParse(parseQuietly(body));
    if (entry.success) newest.set(entry.data.session, entry.data);
  }
  return ok([...newest.values()].flatMap(({ job, ...entry }) => (job ? [{ ...entry, job }] : [])));
}
