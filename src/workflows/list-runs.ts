import { join } from 'node:path';
import { listQuietly } from '../lib/files/small-files.ts';
import { lookAtLease } from '../lib/leases/claim-lease.ts';
import type { Machine } from '../lib/machine.ts';
import type { CallCensus, CallOutcome, RunStatus } from '../protocol/workflow.ts';
import { formatCallId } from './call-key.ts';
import { countCall, emptyCensus } from './census.ts';
import { isRunId, locateJournal, type RecordedRun, readJournal } from './read-journal.ts';

/** A run as its journal has it. */
export interface RunDescription {
  runId: string;
  name: string;
  createdAt: string;
  /** `interrupted`: no process has it, and none wrote an end. */
  status: RunStatus | 'interrupted';
  /** The process that has it. */
  owner?: number | undefined;
  reason?: string | undefined;
  census: CallCensus;
  calls: {
    callId: string;
    label: string;
    phase?: string | undefined;
    outcome?: CallOutcome | undefined;
    agentId?: string | undefined;
    reason?: string | undefined;
  }[];
}

const maxRuns = 500;

/** All runs, the newest first. One that cannot be read is named with the reason. */
export async function listRecordedRuns(
  runs: string,
  machine: Machine,
): Promise<{ runs: RunDescription[]; broken: string[] }> {
  const found: RunDescription[] = [];
  const broken: string[] = [];
  for (const runId of listQuietly(runs, machine.disk).filter(isRunId).slice(0, maxRuns)) {
    const read = await readJournal(runs, runId, machine.disk);
    if (read.ok) found.push(describeRun(read.value, runs, machine));
    else broken.push(read.problem.message);
  }
  found.sort((one, other) => (one.createdAt < other.createdAt ? 1 : -1));
  return { runs: found, broken };
}

/** The runs whose journals changed last, without reading the others. */
export async function listNewestRuns(
  runs: string,
  machine: Machine,
  count: number,
): Promise<RunDescription[]> {
  const newest = listQuietly(runs, machine.disk)
    .filter(isRunId)
    .map((runId) => ({ runId, at: machine.disk.stat(locateJournal(runs, runId))?.mtimeMs ?? 0 }))
    .sort((one, other) => other.at - one.at)
    .slice(0, count);
  const found = await Promise.all(newest.map(({ runId }) => readJournal(runs, runId, machine.disk)));
  return found.flatMap((read) => (read.ok ? [describeRun(read.value, runs, machine)] : []));
}

export function describeRun(
  { header, records }: RecordedRun,
  runs: string,
  machine: Machine,
): RunDescription {
  const standing = lookAtLease({ directory: join(runs, header.runId), machine }, 'owner');
  const owner = standing?.state === 'held' ? standing.claim.owner?.pid : undefined;
  const opened = records.findLast((record) => record.type === 'opened');
  const last = records.findLast(({ type }) => type === 'closed' || type === 'opened');
  const closed = last?.type === 'closed' ? last : undefined;
  const calls = new Map<string, RunDescription['calls'][number]>();
  for (const record of records)
    if (record.type === 'begun' || record.type === 'ended') {
      const callId = formatCallId(record.key, record.number);
      const { label, phase, agentId } = record;
      const ended = record.type === 'ended' ? { outcome: record.outcome, reason: record.reason } : {};
      calls.set(callId, { ...calls.get(callId), callId, label, phase, agentId, ...ended });
    }
  const census = emptyCensus();
  for (const { outcome } of calls.values())
    countCall(census, outcome ?? 'interrupted', outcome ? 'EXECUTED' : 'HALTED');
  return {
    ...{ runId: header.runId, name: opened?.program.name ?? '', createdAt: header.createdAt, owner, census },
    status: owner === undefined ? (closed?.status ?? 'interrupted') : 'running',
    reason: closed?.reason,
    calls: [...calls.values()],
  };
}
