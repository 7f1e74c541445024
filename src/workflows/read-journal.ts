import { join } from 'node:path';
import type { Disk } from '../lib/files/disk.ts';
import { type Damage, readJsonl } from '../lib/jsonl/jsonl.ts';
import { ok, type Result, usage } from '../lib/result.ts';
import { keyFormat } from './call-key.ts';
import { type JournalHeader, type JournalRecord, journalFormat } from './journal-records.ts';

/** A journal as it was read: what late writers added is left out. */
export interface RecordedRun {
  header: JournalHeader;
  newestEpoch: number;
  records: JournalRecord[];
  damage: Damage[];
}

const runIdForm = /^r[a-z0-9]{4,40}$/;

/** Safe as a file name. */
export function isRunId(text: string): boolean {
  return runIdForm.test(text);
}

/** Where the runs of this user are. Outside of every session: a run outlives the session that started it. */
export function locateRuns(home: string): string {
  return join(home, 'workflow-runs');
}

export function locateJournal(runs: string, runId: string): string {
  return join(runs, runId, 'journal.jsonl');
}

export async function readJournal(runs: string, runId: string, disk: Disk): Promise<Result<RecordedRun>> {
  if (!isRunId(runId)) return usage(`${JSON.stringify(runId.slice(0, 60))} is not the id of a workflow run.`);
  const path = locateJournal(runs, runId);
  if (!disk.stat(path))
    return usage(`There is no workflow run ${runId}.`, '`cadre workflows runs` lists them.');
  let header: JournalHeader | undefined;
  let newestEpoch = 0;
  const records: JournalRecord[] = [];
  const damage: Damage[] = [];
  const read = await readJsonl(
    path,
    {
      onRecord(record) {
        if (record.type === 'cadre-workflow-run') header ??= record as unknown as JournalHeader;
        else if (isRecord(record) && record.epoch >= newestEpoch) {
          newestEpoch = record.epoch;
          records.push(record);
        }
        return undefined;
      },
      onDamage: (found) => void damage.push(found),
    },
    disk,
  );
  if (!read.ok) return read;
  if (!header) return usage(`${path} is not the journal of a workflow run: its first line is missing.`);
  const known = checkFormat(header, path);
  return known.ok ? ok({ header, newestEpoch, records, damage }) : known;
}

/** A later build may add kinds of records, which are passed over; a higher number says that it changed what there is. */
function checkFormat({ format, keyFormat: keys, version }: JournalHeader, path: string): Result<void> {
  if (format <= journalFormat && keys <= keyFormat) return ok(undefined);
  return usage(
    `${path} was written by a later version of Cadre (${version}) in a format that this one does not read.`,
    'Resume it with that version or a later one.',
  );
}

function isRecord(record: Record<string, unknown>): record is JournalRecord & Record<string, unknown> {
  return typeof record.type === 'string' && Number.isInteger(record.epoch);
}
