import { type Clock, timestamp } from '../lib/clock.ts';
import type { Disk } from '../lib/files/disk.ts';
import { ok, type Result } from '../lib/result.ts';
import { listEventRecords } from '../loop/records-of.ts';
import type {
  AgentEvent,
  HeaderRecord,
  StateRecord,
  TaskRecord,
  TranscriptRecord,
} from '../protocol/index.ts';
import type { Anchors } from '../store/anchors/anchors.ts';
import { leadFile, RecordChain } from '../store/anchors/record-chain.ts';
import { fenceTranscript, stampEpoch, type WriteFence } from '../store/fence.ts';
import { createTranscript, reopenTranscript, type Transcript } from '../store/transcript.ts';

export interface LogOptions {
  path: string;
  header: HeaderRecord;
  /** The file exists and is appended to. */
  exists: boolean;
  /** Written before the first new record: repairs of a resumed session, the history of a forked one. */
  prologue: TranscriptRecord[];
  persist: boolean;
  clock: Clock;
  disk: Disk;
  /** Where the hashes of its records are kept. */
  anchors?: Anchors | undefined;
  /** Asked before every write; its number goes on every record. */
  fence: WriteFence;
}

/**
 * The lead's transcript. The file is made at the first record, so a session without messages leaves nothing. Without
 * persistence nothing is kept, and the path is null.
 */
export class SessionLog {
  readonly path: string | null;
  readonly #chain: RecordChain | undefined;
  #transcript: Transcript | undefined;
  #created = false;

  constructor(private readonly options: LogOptions) {
    this.path = options.persist ? options.path : null;
    this.#chain = options.persist ? this.openChain(leadFile) : undefined;
  }

  /** The chain of another transcript of the session, by its name; none where nothing is kept. */
  openChain(file: string): RecordChain | undefined {
    const { anchors, persist } = this.options;
    return anchors && persist ? new RecordChain(anchors, file) : undefined;
  }

  /** Writes the parts of an event that belong in the transcript; the caller continues only if this is ok. */
  keep(event: AgentEvent): Result<void> {
    if (event.agentId !== null) return ok(undefined);
    if (event.type === 'tool_started') {
      const held = this.options.fence.check();
      if (!held.ok) return held;
    }
    for (const record of listEventRecords(event)) {
      const written = this.append(record);
      if (!written.ok) return written;
    }
    return ok(undefined);
  }

  append(record: TranscriptRecord): Result<void> {
    if (!this.options.persist) return ok(undefined);
    const transcript = this.#catchUp();
    return transcript.ok ? transcript.value.append(record) : transcript;
  }

  /** As of any transcript. */
  synced(): Promise<void> | undefined {
    return this.#transcript?.synced();
  }

  /** Writes what a full disk has kept out so far, for one who reads the transcript. */
  catchUp(): Result<void> {
    const caughtUp = this.options.prologue.length > 0 ? this.#catchUp() : ok(undefined);
    return caughtUp.ok ? ok(undefined) : caughtUp;
  }

  /**
   * Writes the state of a task, now or, where a full disk keeps it out, before the next record: whatever is said of its end comes
   * after it.
   */
  appendState(record: TaskRecord): void {
    const { prologue } = this.options;
    const isOlder = (one: TranscriptRecord) =>
      one.type === 'task-state' && one.task.runId === record.task.runId;
    if (this.append(record).ok || !this.options.persist) return;
    const older = prologue.findIndex(isOlder);
    if (older >= 0) prologue.splice(older, 1);
    prologue.push(record);
  }

  /** Records what is in force from here on. Before the first message there is no file to record it in. */
  noteState(state: Omit<StateRecord, 'type' | 'timestamp'>): Result<void> {
    return this.append({ type: 'session-state', timestamp: timestamp(this.options.clock), ...state });
  }

  close(): void {
    this.#transcript?.close();
    this.#transcript = undefined;
    this.options.anchors?.close();
  }

  #catchUp(): Result<Transcript> {
    const transcript = this.#open();
    if (!transcript.ok) return transcript;
    const caughtUp = this.#writeOwed(transcript.value);
    return caughtUp.ok ? transcript : caughtUp;
  }

  #open(): Result<Transcript> {
    if (this.#transcript) return ok(this.#transcript);
    const { path, header, exists, disk, fence } = this.options;
    const held = fence.check();
    if (!held.ok) return held;
    const opened =
      exists || this.#created
        ? reopenTranscript(path, disk, this.#chain)
        : createTranscript(path, stampEpoch(header, fence), disk, this.#chain);
    if (!opened.ok) return opened;
    this.#created = true;
    const transcript = fenceTranscript(opened.value, fence);
    const begun = this.#writeOwed(transcript);
    if (!begun.ok) {
      transcript.close();
      return begun;
    }
    this.#transcript = transcript;
    return ok(transcript);
  }

  /** Records that a full disk kept out are written at the next attempt, from where it stopped. */
  #writeOwed(transcript: Transcript): Result<void> {
    const { prologue } = this.options;
    for (let record = prologue[0]; record; record = prologue[0]) {
      const written = transcript.append(record);
      if (!written.ok) return written;
      prologue.shift();
    }
    return ok(undefined);
  }
}
