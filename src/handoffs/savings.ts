import { noUsage, promptTokens, totalTokens, type Usage } from '../protocol/message.ts';
import type { PhaseRecord } from './phase-records.ts';
import type { HandoffSetup } from './setup.ts';

/** One phase beside the same phase at its place in one long conversation. */
export interface PhaseSavings {
  task_id: string;
  label: string;
  /** All tokens that its requests read and wrote, as the provider counted them. */
  used: number;
  /** The largest context of the phase: what its largest request read, and the answer to it. */
  held?: number | undefined;
  /** What one conversation of all phases so far would have held at the end of this one. */
  held_in_one?: number | undefined;
  /** What the requests of this phase would have read and written in that conversation. */
  used_in_one: number;
}

export interface SavingsReport {
  phases: PhaseSavings[];
  used: number;
  used_in_one: number;
  /**
   * `requests`: from the usage of every request. `totals`: only the sum of each agent is known, so `used_in_one` is a lower
   * bound and `held` is unknown.
   */
  basis: 'requests' | 'totals';
}

/**
 * Compares with one conversation in which the same phases follow each other. With a request r of a phase i that read p(r) and
 * wrote o(r), in order:
 *
 *   first(i) = p of its first request: system prompt, tools and the hand-off
 *   held(i)  = the largest p(r) + o(r)
 *   grown(i) = held(i) - first(i): what the phase added by its own work
 *   before(i) = first(1) + grown(1) + … + grown(i-1)
 *   held_in_one(i) = before(i) + grown(i)
 *   used_in_one(i) = the sum over r of before(i) + p(r) - first(i) + o(r)
 *
 * The first prompts of later phases are left out of the one conversation, so the comparison is in its favour.
 */
export async function computeSavings(
  records: readonly PhaseRecord[],
  readRequests: HandoffSetup['readRequests'],
): Promise<SavingsReport> {
  const phases = await Promise.all(
    records.map(async (record) => ({ record, requests: await listRequests(record, readRequests) })),
  );
  const isKnown = phases.length > 0 && phases.every(({ requests }) => requests !== undefined);
  const compared = isKnown
    ? compareRequests(phases.map(({ record, requests = [] }) => ({ record, requests })))
    : compareTotals(records);
  const sum = (pick: (phase: PhaseSavings) => number) =>
    compared.reduce((total, phase) => total + pick(phase), 0);
  return {
    phases: compared,
    used: sum(({ used }) => used),
    used_in_one: sum(({ used_in_one }) => used_in_one),
    basis: isKnown ? 'requests' : 'totals',
  };
}

/** The requests of each call of a phase; undefined if those of one are not known. */
async function listRequests(
  { calls }: PhaseRecord,
  read: HandoffSetup['readRequests'],
): Promise<(readonly Usage[])[] | undefined> {
  const lists: (readonly Usage[])[] = [];
  for (const { agentId, usage } of calls) {
    if (agentId === undefined && totalTokens(usage) === 0) continue;
    const requests = agentId === undefined ? undefined : await read?.(agentId);
    if (requests === undefined || requests.length === 0) return undefined;
    lists.push(requests);
  }
  return lists;
}

interface KnownPhase {
  record: PhaseRecord;
  requests: readonly (readonly Usage[])[];
}

function compareRequests(phases: readonly KnownPhase[]): PhaseSavings[] {
  const opening = promptTokens(phases.flatMap(({ requests }) => requests.flat())[0] ?? noUsage);
  let before = opening;
  return phases.map(({ record: { task_id, label, calls }, requests }) => {
    let held = 0;
    let usedInOne = 0;
    for (const call of requests) {
      const first = promptTokens(call[0] ?? noUsage);
      const sizes = call.map((usage) => totalTokens(usage));
      const largest = Math.max(0, ...sizes);
      held = Math.max(held, largest);
      usedInOne += sum(sizes.map((size) => before + Math.max(0, size - first)));
      before += Math.max(0, largest - first);
    }
    const used = sum(calls.map(({ usage }) => totalTokens(usage)));
    return { task_id, label, used, held, held_in_one: before, used_in_one: usedInOne };
  });
}

/** In one conversation a phase would also have read, at least once, all that earlier phases wrote. */
function compareTotals(records: readonly PhaseRecord[]): PhaseSavings[] {
  let written = 0;
  return records.map(({ task_id, label, calls }) => {
    const used = sum(calls.map(({ usage }) => totalTokens(usage)));
    const usedInOne = used === 0 ? 0 : used + written;
    written += sum(calls.map(({ usage }) => usage.output_tokens));
    return { task_id, label, used, used_in_one: usedInOne };
  });
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
