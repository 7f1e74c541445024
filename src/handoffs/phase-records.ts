import type { Claim, ResolvedClaim } from '../protocol/receipt.ts';
import type { HandoffCall, HandoffEnd } from './handoff.ts';
import type { HandoffPhase, HandoffResponse } from './schema.ts';

/** One hand-off that has ended, without its conversation. */
export interface PhaseRecord {
  task_id: string;
  label: string;
  phase: HandoffPhase;
  /** `answered`, or why there is no response. */
  end: HandoffEnd<unknown>['kind'];
  status?: HandoffResponse['status'] | undefined;
  decision?: HandoffResponse['decision'] | undefined;
  reason?: string | undefined;
  context_summary?: string | undefined;
  findings?: unknown;
  claims: readonly Claim[];
  /** The claims beside what the harness recorded. */
  judged?: readonly ResolvedClaim[] | undefined;
  issues: readonly string[];
  /** The harness ran the checks of this phase. */
  checked: boolean;
  /** The last text of an agent that timed out or failed. */
  partial_text?: string | undefined;
  tokens_used: number;
  calls: readonly HandoffCall[];
}

/** The phases of a run in the order in which they ended. */
export class PhaseRecords {
  readonly #records: PhaseRecord[] = [];
  readonly #latest = new Map<object, PhaseRecord>();

  get list(): readonly PhaseRecord[] {
    return this.#records;
  }

  /** The last attempt of each phase: what an earlier one left undone, a later one was called for. */
  get latest(): readonly PhaseRecord[] {
    return this.#records.filter((record) => [...this.#latest.values()].includes(record));
  }

  /** `by` is the pattern that ran: the same for each attempt of one phase. */
  add(
    about: Pick<PhaseRecord, 'task_id' | 'label' | 'phase'>,
    end: HandoffEnd<unknown>,
    by: object,
  ): PhaseRecord {
    const record: PhaseRecord = { ...about, ...describeEnd(end), tokens_used: end.tokens, calls: end.calls };
    this.#records.push(record);
    this.#latest.set(by, record);
    return record;
  }
}

type Described = Omit<PhaseRecord, 'task_id' | 'label' | 'phase' | 'tokens_used' | 'calls'>;

function describeEnd(end: HandoffEnd<unknown>): Described {
  const none = { end: end.kind, claims: [], issues: [], checked: false };
  switch (end.kind) {
    case 'answered': {
      const { status, decision, reason, context_summary, findings, claims, issues } = end.response;
      const { checked, judged } = end;
      return {
        end: end.kind,
        status,
        decision,
        reason,
        context_summary,
        findings,
        claims,
        judged,
        issues,
        checked,
      };
    }
    case 'blocked':
      return { ...none, status: 'blocked', reason: `No valid answer: ${end.errors.join('; ')}` };
    case 'refused':
      return { ...none, reason: end.errors.join('; ') };
    case 'timed_out':
      return { ...none, status: 'partial', reason: 'timed out', partial_text: end.text };
    case 'ended':
      return { ...none, reason: end.reason, partial_text: end.text };
  }
}
