import { ok, type Result, usage } from '../lib/result.ts';

/**
 * The engine that workers on many machines share. It hands out jobs under a lease, and stores rows; it knows nothing of
 * agents. A job is an id: all content is in rows of that job, which are read by cursor and fenced by epoch.
 */
export interface Engine {
  /** Its address, without a password. */
  readonly title: string;
  /** Hands out a job of this id, once, however often this is called. */
  enqueue(job: QueuedJob): Promise<Result<void>>;
  /** The next job with this label, if one is waiting; also one whose worker no longer renews its lease. */
  take(label: string): Promise<Result<TakenJob | undefined>>;
  /** A higher epoch than anyone had before: rows of earlier ones are refused from now on. */
  claim(jobId: string): Promise<Result<number>>;
  /**
   * All of the rows, or none. A row whose key is in the stream already is left out, so that a call can be repeated. An engine that forgets
   * jobs which nobody uses counts from here, also where there are no rows.
   */
  append(jobId: string, rows: readonly NewRow[], epoch?: number): Promise<Result<Stored>>;
  /** Rows after a cursor, in their order. The first row is 1. */
  read(jobId: string, stream: string, after: number, most: number): Promise<Result<EngineRow[]>>;
  /** Removes all rows of a job. A worker that still has it is refused from then on. */
  remove(jobId: string): Promise<Result<void>>;
  /** A note that all see for a time: a worker that is alive, a key that must wait. */
  note(kind: NoteKind, id: string, body: string, forMs: number): Promise<Result<void>>;
  notes(kind: NoteKind): Promise<Result<EngineNote[]>>;
  /** Wakes all that listen. It may be lost: whoever listens also looks by itself now and then. */
  ring(topic: string): Promise<Result<void>>;
  listen(heard: (topic: string) => void): () => void;
  close(): Promise<void>;
}

export interface QueuedJob {
  id: string;
  /** Only workers with this label take it. */
  label: string;
  /** 0 to 9: lower ones are taken first. */
  priority: number;
}

/** A job that this worker has until its lease ends. */
export interface TakenJob {
  readonly id: string;
  /** False if it was passed on: its lease had ended. */
  renew(): Promise<Result<boolean>>;
  /** It is over; no worker takes it again. */
  finish(): Promise<Result<boolean>>;
  /** Another worker may take it at once. */
  release(): Promise<Result<boolean>>;
}

export interface NewRow {
  stream: string;
  /** Unique in its stream. */
  key: string;
  body: string;
}

export interface EngineRow {
  seq: number;
  body: string;
}

/** `stale`: the epoch was passed, and nothing was stored. */
export type Stored = 'stored' | 'stale';

export type NoteKind = 'worker' | 'pause';

export interface EngineNote {
  id: string;
  body: string;
  /** How much longer it is valid. */
  forMs: number;
}

export interface EngineOptions {
  /** How long a job stays with a worker that does not renew. */
  leaseMs?: number;
  /** Set apart from other fleets on the same server. */
  space?: string;
}

export const defaultLeaseMs = 30_000;
/** Bytes of one row. */
export const maxRowBytes = 1024 * 1024;

/** Names a schema on PostgreSQL and is a part of keys on Redis, so it is a plain word. */
const spaceForm = /^[a-z][a-z0-9_]{0,30}$/;

export function checkOptions({ space }: EngineOptions): Result<void> {
  if (space === undefined || spaceForm.test(space)) return ok(undefined);
  return usage(
    `The space ${JSON.stringify(space)} of the engine is not a name that it can have.`,
    'Use up to 31 lower-case letters, digits and "_", starting with a letter.',
  );
}

/** A larger body must be cut into several rows by whoever sends it. */
export function checkRows(rows: readonly NewRow[]): Result<void> {
  for (const { stream, key, body } of rows) {
    const bytes = Buffer.byteLength(body);
    if (bytes > maxRowBytes)
      return usage(`The row ${key} of ${stream} has ${bytes} bytes; the limit is ${maxRowBytes}.`);
  }
  return ok(undefined);
}
