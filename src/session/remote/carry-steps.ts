import { closeSync, openSync, readSync } from 'node:fs';
import { type Clock, sleep } from '../../lib/clock.ts';
import { getErrorCode, ok, type Problem, type Result } from '../../lib/result.ts';
import type { AgentEvent } from '../../protocol/index.ts';
import { groupRows } from '../../remote/bundle.ts';
import type { NewRow } from '../../remote/engine.ts';
import { streams } from '../../remote/job.ts';
import { askAgain } from '../../remote/patient-engine.ts';
import { maxBodyBytes } from '../../remote/sealed-rows.ts';
import type { ClaimedJob } from '../../remote/serve-worker.ts';
import { formatSteps, type Step } from '../../remote/steps.ts';
import type { SessionLayout } from '../../store/layout.ts';
import type { JobCheckout } from './checkout.ts';
import { listLogs } from './restore-logs.ts';

/** Text in JSON may become twice as long. */
const partBytes = 300_000;
const retryMs = 500;
const maxAttempts = 4;

/** What is stored of a session while it runs. */
export interface CarriedKinds {
  /** Seen where the job was submitted. */
  carries(event: AgentEvent): boolean;
  /** Stored as soon as it happens, with all that came before it. */
  isStep(event: AgentEvent): boolean;
  /** Its books go where it goes. */
  hasLedger: boolean;
}

/** Those of an agent: events of agents below it stay on the worker. */
export const jobKinds: CarriedKinds = {
  carries: ({ agentId, type }) => agentId === null && jobEvents.has(type),
  isStep: (event) => event.type === 'message_added' && event.record.type === 'user',
  hasLedger: false,
};

const jobEvents: ReadonlySet<AgentEvent['type']> = new Set([
  ...(['turn_started', 'message_added', 'conversation_compacted', 'request_waited'] as const),
  ...(['request_retried', 'tool_started', 'tool_ended', 'todos_changed'] as const),
]);

/** Stores what a job did, step by step: what it said, what it knows, and its files. */
export class StepCarrier {
  readonly #offsets = new Map<string, number>();
  #events: AgentEvent[] = [];
  #tail: Promise<boolean> = Promise.resolve(true);
  #count = 0;
  #mayDiffer = true;
  #problem: Problem | undefined;

  constructor(
    private readonly job: ClaimedJob,
    private readonly checkout: Pick<JobCheckout, 'pack'>,
    private readonly files: SessionLayout,
    private readonly clock: Clock,
    /** Sizes of the session's files when this worker began. */
    begun: ReadonlyMap<string, number>,
    /** Whether something runs that can change files at any time. */
    private readonly isBusy: () => boolean,
    private readonly kinds: CarriedKinds,
  ) {
    for (const [name, size] of begun) this.#offsets.set(name, size);
  }

  /** Why nothing more can be stored, although the job is still this worker's. */
  get problem(): Problem | undefined {
    return this.#problem;
  }

  note(event: AgentEvent): void {
    if (!this.kinds.carries(event)) return;
    this.#events.push(event);
    // Before the next call runs this is waited for; meanwhile the model is asked.
    if (this.kinds.isStep(event)) void this.store();
  }

  /** Files may be other ones from here on. */
  noteChange(): void {
    this.#mayDiffer = true;
  }

  /** False: the job is another worker's now, or cannot be stored. While the engine is away it is tried again. */
  store(more: readonly Step[] = [], rows: readonly NewRow[] = []): Promise<boolean> {
    this.#tail = this.#tail.then((isOurs) => isOurs && this.#store(more, rows));
    return this.#tail;
  }

  async #store(more: readonly Step[], rows: readonly NewRow[]): Promise<boolean> {
    const { signal, epoch } = this.job;
    if (signal.aborted) return false;
    const changed = await this.#packFiles();
    if (!changed.ok) {
      // Without the files the conversation would be ahead of them.
      if (!signal.aborted) this.#problem = changed.problem;
      return false;
    }
    const steps = [...changed.value, ...this.#readLogs(), ...more];
    const told = this.#events.splice(0).flatMap((event) => formatEvent(event, epoch, this.#count++));
    const stored = steps.length === 0 ? [] : formatSteps(steps, epoch, this.#count++);
    for (const group of groupRows([...stored, ...told, ...rows])) {
      const done = await askAgain(() => this.job.store(group), this.clock, signal);
      if (!done.ok && !signal.aborted) this.#problem = done.problem;
      if (!done.ok || !done.value) return false;
    }
    return true;
  }

  /** A command that still runs can take a file away while it is read: then once more. */
  async #packFiles(): Promise<Result<Step[]>> {
    if (!this.#mayDiffer) return ok([]);
    const { signal } = this.job;
    this.#mayDiffer = this.isBusy();
    for (let attempt = 1; ; attempt++) {
      const packed = await this.checkout.pack();
      if (packed.ok || attempt === maxAttempts || signal.aborted) return packed;
      await sleep(this.clock, retryMs, signal);
    }
  }

  *#readLogs(): Generator<Step> {
    for (const [name, path] of listLogs(this.files, this.kinds.hasLedger)) {
      const from = this.#offsets.get(name) ?? 0;
      const lines = readLinesFrom(path, from);
      this.#offsets.set(name, from + lines.length);
      for (let at = 0; at < lines.length; ) {
        const end = cutAtCharacter(lines, at + partBytes);
        yield { kind: 'log', file: name, data: lines.subarray(at, end).toString() };
        at = end;
      }
    }
  }
}

function formatEvent(event: AgentEvent, epoch: number, ordinal: number): NewRow[] {
  const body = JSON.stringify(event);
  // One with a picture in it, for example. The result of the job does not depend on it.
  return Buffer.byteLength(body) > maxBodyBytes
    ? []
    : [{ stream: streams.events, key: `${epoch}-${ordinal}`, body }];
}

/** Whole lines only: the last one may still be being written. */
function readLinesFrom(path: string, from: number): Buffer {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
  try {
    const parts: Buffer[] = [];
    for (let at = from; ; ) {
      const part = Buffer.alloc(1 << 20);
      const size = readSync(file, part, 0, part.length, at);
      if (size === 0) break;
      parts.push(part.subarray(0, size));
      at += size;
    }
    const all = Buffer.concat(parts);
    return all.subarray(0, all.lastIndexOf(0x0a) + 1);
  } finally {
    closeSync(file);
  }
}

/** A part must not end inside a character. */
function cutAtCharacter(bytes: Buffer, wanted: number): number {
  let end = Math.min(wanted, bytes.length);
  while (end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return end;
}
