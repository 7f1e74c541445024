import type { CallAgent } from './call-runner.ts';
import type { CallNumber, EndedRecord, JournalRecord, WorkflowProgram } from './journal-records.ts';
import type { RecordedRun } from './read-journal.ts';

/** What the journal of a run says of its calls, by key and number. */
export class RecordedCalls {
  readonly #ends = new Map<string, EndedRecord>();
  readonly #agents = new Map<string, CallAgent>();
  readonly #values = new Map<string, unknown>();
  /** The run had ended, and not well: a user who resumes it wants what failed to be tried again. */
  readonly endedBadly: boolean;
  readonly allowedAgents: number = 0;
  readonly program: WorkflowProgram | undefined;
  readonly phases: readonly string[];

  constructor({ records }: RecordedRun) {
    const phases = new Set<string>();
    let closedAs: string | undefined;
    for (const record of records) {
      this.#note(record);
      if (record.type === 'opened') this.program = record.program;
      if (record.type === 'allowed') this.allowedAgents = Math.max(this.allowedAgents, record.agents);
      if (record.type === 'phase') phases.add(record.name);
      if (record.type === 'closed') closedAs = record.status;
      else if (record.type === 'opened' || record.type === 'claimed') closedAs = undefined;
    }
    this.endedBadly = closedAs === 'partial' || closedAs === 'failed';
    this.phases = [...phases];
  }

  #note(record: JournalRecord): void {
    if (record.type === 'ended') this.#ends.set(nameCall(record), record);
    if (record.type === 'begun') {
      const { agentId, sessionId, transcript } = record;
      this.#agents.set(nameCall(record), { agentId, sessionId, transcript });
    }
    if (record.type === 'step' || record.type === 'answer') this.#values.set(nameCall(record), record.value);
  }

  /** The end that is kept. Work that outside circumstances ended is tried again, and so is what failed in a run that ended badly. */
  findEnd(call: CallNumber): EndedRecord | undefined {
    const end = this.#ends.get(nameCall(call));
    if (!end || end.outcome === 'interrupted' || end.outcome === 'over_budget') return undefined;
    // It was refused before an agent existed, which costs nothing: the reason may be gone.
    if (end.outcome === 'refused' && end.agentId === undefined) return undefined;
    return end.outcome === 'failed' && this.endedBadly ? undefined : end;
  }

  /** The agent that worked on it and did not come to an end of its own. */
  findAgent(call: CallNumber): CallAgent | undefined {
    const outcome = this.#ends.get(nameCall(call))?.outcome;
    const isOver = outcome !== undefined && outcome !== 'interrupted' && outcome !== 'over_budget';
    return isOver ? undefined : this.#agents.get(nameCall(call));
  }

  findValue(call: CallNumber): { value: unknown } | undefined {
    const name = nameCall(call);
    return this.#values.has(name) ? { value: this.#values.get(name) } : undefined;
  }
}

function nameCall({ key, number }: CallNumber): string {
  return `${key}.${number}`;
}
