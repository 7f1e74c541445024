import type { FileHistoryRecord } from '../../protocol/record.ts';
import { type FileLook, isSameLook, lookAfter, lookBefore } from './file-look.ts';

/** One change that is part of a file's content, with the ones before it. */
interface Step {
  record: FileHistoryRecord;
  earlier: Step | undefined;
}

/** The target of a rewind: the number of records before that point. Undefined where it is unknown. */
export type RewindGoal = (rewindId: string) => number | undefined;

/** A record of a file, with its place among the records of all files. */
export interface PlacedRecord {
  record: FileHistoryRecord;
  place: number;
}

/**
 * The changes to one file that a rewind to `point` would lose: those that are part of its content now, but not then. A rewind
 * removes the changes after its target and restores those before it: earlier changes by others are part of the file again.
 */
export function changesSince(
  own: readonly PlacedRecord[],
  now: FileLook,
  point: number,
  findGoal: RewindGoal,
): FileHistoryRecord[] {
  const steps = followSteps(own, now, findGoal);
  const then = new Set(listRecords(findStep(own, steps, point)));
  return listRecords(steps.at(-1)).filter((record) => !then.has(record));
}

/** The changes a file consists of after each of its records. */
function followSteps(
  own: readonly PlacedRecord[],
  now: FileLook,
  findGoal: RewindGoal,
): (Step | undefined)[] {
  const steps: (Step | undefined)[] = [];
  const beforeRewind = new Map<string, Step | undefined>();
  for (const [index, { record }] of own.entries()) {
    const earlier = steps.at(-1);
    const { cause, toolUseId } = record;
    if (cause !== 'rewind') steps.push({ record, earlier });
    // The second record of one rewind cancels the first: the file could not be written.
    else if (beforeRewind.has(toolUseId)) steps.push(beforeRewind.get(toolUseId));
    else {
      beforeRewind.set(toolUseId, earlier);
      const goal = findGoal(toolUseId);
      const next = own[index + 1]?.record;
      // Where the effect of the rewind is unknown, nothing is lost without asking.
      const isKnown = goal !== undefined && !wasCutOff(record, next ? lookBefore(next) : now);
      steps.push(isKnown ? findStep(own, steps, goal) : earlier);
    }
  }
  return steps;
}

/** The record comes before the write: the state found next shows whether it happened. */
function wasCutOff(record: FileHistoryRecord, found: FileLook): boolean {
  const after = lookAfter(record);
  return after !== undefined && isSameLook(found, lookBefore(record)) && !isSameLook(found, after);
}

function findStep(
  own: readonly PlacedRecord[],
  steps: readonly (Step | undefined)[],
  point: number,
): Step | undefined {
  const index = own.findLastIndex(({ place }) => place < point);
  return index === -1 ? undefined : steps[index];
}

function listRecords(last: Step | undefined): FileHistoryRecord[] {
  const records: FileHistoryRecord[] = [];
  for (let step = last; step; step = step.earlier) records.push(step.record);
  return records;
}
