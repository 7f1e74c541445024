import { type TranscriptRecord, textOf } from '../../src/protocol/index.ts';
import { notBegunResult } from '../../src/store/conversation.ts';
import type { LoadedTranscript } from '../../src/store/transcript.ts';

type Records = readonly TranscriptRecord[];

/**
 * What really happened in a world, written down outside of it, and whether the invariants hold:
 *
 * - I1 what was announced is there after any crash
 * - I2 a call has at most one effect and one result
 * - I3 only the newest owner's work takes effect
 * - I4 the messages of a sender keep their order
 * - I5 a message is delivered once: neither lost nor doubled
 * - I6 everything ends when the faults end
 * - I7 what was stopped, or reported as dead, stays so
 * - I8 no anchor contradicts the transcript
 */
export class Ledger {
  readonly faults: string[] = [];
  readonly trace: string[] = [];
  /** Messages that somebody outside has seen, by uuid. */
  readonly #announced = new Set<string>();
  /** Ends of tasks that somebody outside has seen, by run. */
  readonly #ended = new Map<string, string>();
  readonly #effects = new Map<string, number>();
  readonly #stopped = new Set<string>();
  /** Runs whose end somebody was told of, and runs that a later one continued. */
  readonly #told = new Set<string>();
  readonly #continued = new Set<string>();
  /** Prompts by sender, in the order of sending. */
  readonly #prompts = new Map<string, string[]>();
  /** The process with the newest epoch. */
  #owner: { name: string; epoch: number; isLost?: true } | undefined;

  constructor(
    private readonly now: () => number,
    private readonly isTraced = false,
  ) {}

  note(who: string, what: string): void {
    if (this.isTraced) this.trace.push(`${this.now().toFixed(0).padStart(7)} ${who.padEnd(6)} ${what}`);
  }

  fault(invariant: string, what: string): void {
    this.note('!', `${invariant} ${what}`);
    if (this.faults.length < 20) this.faults.push(`${invariant} at ${this.now().toFixed(0)} ms: ${what}`);
  }

  /** A process has claimed the session. */
  claimed(who: string, epoch: number): void {
    if (this.#owner?.epoch === epoch && !this.#owner.isLost)
      this.fault('I3', `${who} and ${this.#owner.name} both have epoch ${epoch}`);
    if (epoch >= (this.#owner?.epoch ?? 0)) this.#owner = { name: who, epoch };
  }

  /**
   * The owner knows that it was passed, and does nothing more. If it had written nothing, and its successor gave up, its number is
   * free again.
   */
  lost(who: string): void {
    if (this.#owner?.name === who) this.#owner = { ...this.#owner, isLost: true };
  }

  #checkOwner(who: string, what: string): void {
    const { name, epoch, isLost } = this.#owner ?? { name: 'nobody', epoch: 0 };
    if (name === who && isLost) this.fault('I3', `${who} ${what} after it had lost epoch ${epoch}`);
    if (name !== who) this.fault('I3', `${who} ${what} after ${name} had claimed epoch ${epoch}`);
  }

  sent(sender: string, uuid: string): void {
    this.#prompts.set(sender, [...(this.#prompts.get(sender) ?? []), uuid]);
  }

  announced(who: string, uuid: string): void {
    this.#checkOwner(who, `announced ${uuid}`);
    if (this.#announced.has(uuid)) this.fault('I5', `${uuid} was announced twice`);
    this.#announced.add(uuid);
  }

  effect(who: string, call: string): void {
    const count = (this.#effects.get(call) ?? 0) + 1;
    this.#effects.set(call, count);
    if (count > 1) this.fault('I2', `${call} took effect ${count} times`);
    this.#checkOwner(who, `ran ${call}`);
  }

  stopped(runId: string): void {
    if (!this.#ended.has(runId)) this.#stopped.add(runId);
  }

  told(runId: string): void {
    this.#told.add(runId);
    if (this.#continued.has(runId)) this.fault('I7', `run ${runId} was continued, and then reported`);
  }

  /** A new run takes the place of this one. A stop counts once it is recorded: before that, the user was not told that it holds. */
  continued(runId: string, isStopped: boolean): void {
    if (this.#told.has(runId)) this.fault('I7', `run ${runId} was reported as dead, and runs again`);
    if (isStopped) this.fault('I7', `run ${runId} was stopped, and runs again`);
    this.#continued.add(runId);
  }

  ended(runId: string, status: string): void {
    const before = this.#ended.get(runId);
    if (before !== undefined) this.fault('I5', `run ${runId} ended twice: ${before}, ${status}`);
    this.#ended.set(runId, status);
    if (this.#stopped.has(runId) && status !== 'killed')
      this.fault('I7', `run ${runId} was stopped, and ${status}`);
  }

  get effects(): number {
    return this.#effects.size;
  }

  get announcements(): number {
    return this.#announced.size;
  }

  /** On what a reader finds at any time. */
  check({ records }: Pick<LoadedTranscript, 'records'>): void {
    const uuids = listUuids(records);
    const found = new Set(uuids);
    for (const uuid of this.#announced)
      if (!found.has(uuid)) this.fault('I1', `${uuid} was announced and is lost`);
    if (found.size < uuids.length) this.fault('I5', `recorded twice: ${listRepeated(uuids).join(' ')}`);
    const results = listRepeated(listResults(records));
    if (results.length > 0) this.fault('I2', `more than one result: ${results.join(' ')}`);
    for (const call of listNotBegun(records))
      if (this.#effects.has(call)) this.fault('I2', `${call} took effect, and is reported as not begun`);
    const told = listRepeated(listTold(records));
    if (told.length > 0) this.fault('I5', `told twice of the end of ${told.join(' ')}`);
    this.#checkEnds(records);
    this.#checkOrder(uuids);
  }

  /** On what a reader finds when all has come to rest. */
  checkAtRest({ records }: Pick<LoadedTranscript, 'records'>): void {
    this.check({ records });
    const found = new Set(listUuids(records));
    for (const uuid of [...this.#prompts.values()].flat())
      if (!found.has(uuid)) this.fault('I5', `the prompt ${uuid} was lost`);
    const told = new Set(listTold(records));
    for (const record of records)
      if (record.type === 'task-state' && record.task.isBackgrounded && !told.has(record.task.runId))
        if (!this.#continued.has(record.task.runId))
          this.fault('I5', `nobody was told of the end of ${record.task.runId}`);
  }

  #checkEnds(records: Records): void {
    const ends = new Map<string, string>();
    for (const record of records) {
      if (record.type !== 'task-state') continue;
      const { runId } = record.task;
      if (ends.has(runId)) this.fault('I7', `run ${runId} went on after its end: ${record.task.status}`);
      // One that the next process recorded, since the disk had refused what this one knew.
      const isRepair = record.end?.outcome === 'interrupted';
      if (record.end) ends.set(runId, isRepair ? 'unknown' : record.end.status);
    }
    for (const [runId, status] of this.#ended)
      if (ends.has(runId) && ![status, 'unknown'].includes(ends.get(runId) ?? ''))
        this.fault('I1', `run ${runId} ended as ${status}, and is recorded as ${ends.get(runId)}`);
  }

  #checkOrder(uuids: readonly string[]): void {
    const places = new Map(uuids.map((uuid, index) => [uuid, index]));
    for (const [sender, prompts] of this.#prompts) {
      const order = prompts.flatMap((uuid) => places.get(uuid) ?? []);
      if (order.some((place, index) => place < (order[index - 1] ?? 0)))
        this.fault('I4', `the prompts of ${sender} are out of order`);
    }
  }
}

function listUuids(records: Records): string[] {
  return records.flatMap((record) =>
    record.type === 'user' || record.type === 'assistant' ? [record.uuid] : [],
  );
}

function listResults(records: Records): string[] {
  return records.flatMap((record) =>
    record.type === 'user' && record.copyOf === undefined
      ? record.message.content.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []))
      : [],
  );
}

function listNotBegun(records: Records): string[] {
  return records.flatMap((record) =>
    record.type !== 'user'
      ? []
      : record.message.content.flatMap((block) =>
          block.type === 'tool_result' && textOf(block.content).includes(notBegunResult)
            ? [block.tool_use_id]
            : [],
        ),
  );
}

function listTold(records: Records): string[] {
  return records.flatMap((record) =>
    record.type === 'user' && record.copyOf === undefined && record.origin.kind === 'task-notification'
      ? [record.origin.runId]
      : [],
  );
}

function listRepeated(values: readonly string[]): string[] {
  const seen = new Set<string>();
  return values.filter((value) => seen.size === seen.add(value).size);
}
