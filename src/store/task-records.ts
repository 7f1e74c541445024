import { readJsonl } from '../lib/jsonl/jsonl.ts';
import { ok, type Result } from '../lib/result.ts';
import type { TaskRecord } from '../protocol/record.ts';
import { checkRecord } from './check-record.ts';
import { EpochOrder } from './epoch-order.ts';
import { noteNewest } from './own-records.ts';

/** The newest state of every task in a transcript, oldest task first. Messages are skipped. */
export async function readTasks(transcript: string): Promise<Result<TaskRecord[]>> {
  const newest = new Map<string, TaskRecord>();
  const order = new EpochOrder<Record<string, unknown>>({
    accept(found) {
      if (found.type !== 'task-state') return;
      const checked = checkRecord(found);
      if (checked.kind === 'good' && checked.record.type === 'task-state')
        noteNewest(newest, checked.record.task.id, checked.record);
    },
    ignoreLate() {},
    reportWrong() {},
  });
  const read = await readJsonl(transcript, {
    onRecord(found) {
      order.add(found, found);
      return true;
    },
    onDamage: () => {},
  });
  order.end();
  return read.ok ? ok([...newest.values()]) : read;
}
