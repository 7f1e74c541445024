import { dirname } from 'node:path';
import { timestamp } from '../../lib/clock.ts';
import { ok, type Result } from '../../lib/result.ts';
import type { TaskRecord } from '../../protocol/index.ts';
import { claimSession } from '../../session/owner.ts';
import { restore } from '../../session/restore.ts';
import type { Surroundings } from '../../session/surroundings.ts';
import { Anchors } from '../../store/anchors/anchors.ts';
import { leadFile, RecordChain } from '../../store/anchors/record-chain.ts';
import { fenceTranscript, type WriteFence } from '../../store/fence.ts';
import { createSessionLayout, locateAnchors } from '../../store/layout.ts';
import { reopenTranscript } from '../../store/transcript.ts';
import { isUnderWay } from '../../tasks/tasks.ts';
import type { FoundTask } from './find-task.ts';

/**
 * Records the stop of an agent in a session that no process has open, claimed so that none opens it meanwhile. False if the agent
 * had ended and would not have continued.
 */
export async function stopStored(
  around: Surroundings,
  { session: { id, path }, task }: FoundTask,
): Promise<Result<boolean>> {
  const { directory } = createSessionLayout(dirname(path), id);
  const claim = claimSession({
    ...{ home: around.home, sessionId: id, directory, transcript: path, machine: around.machine },
    hint: 'Try again: the task is stopped through that process.',
  });
  if (!claim.ok) return claim;
  try {
    const restored = await restore({ id, path }, around);
    if (!restored.ok) return restored;
    const { suspended, agents } = restored.value;
    const record = agents.findLast((one) => one.task.id === task.id);
    const continues = suspended?.agents.some((one) => one.task.id === task.id);
    const isOver = record === undefined || record.end !== undefined || !isUnderWay(record.task);
    if (!record || (isOver && !continues)) return ok(false);
    return writeStop(around, { id, path }, record, claim.value);
  } finally {
    claim.value.release();
  }
}

function writeStop(
  { clock, machine, home }: Surroundings,
  { id, path }: { id: string; path: string },
  { task: { suspended: _, ...task }, end }: TaskRecord,
  fence: WriteFence,
): Result<boolean> {
  const anchors = new Anchors(locateAnchors(home, id), clock, machine.disk);
  const opened = reopenTranscript(path, machine.disk, new RecordChain(anchors, leadFile));
  if (!opened.ok) return opened;
  const now = timestamp(clock);
  const reason = 'stopped by the user';
  const transcript = fenceTranscript(opened.value, fence);
  const written = transcript.append({
    type: 'task-state',
    timestamp: now,
    task: { ...task, status: 'killed', stoppedBy: 'user', error: reason, endedAt: task.endedAt ?? now },
    end: { text: '', ...end, status: 'killed', outcome: 'killed', reason },
  });
  transcript.close();
  anchors.close();
  return written.ok ? ok(true) : written;
}
