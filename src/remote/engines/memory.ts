import type { Clock } from '../../lib/clock.ts';
import { failure, ok, type Result } from '../../lib/result.ts';
import {
  defaultLeaseMs,
  type Engine,
  type EngineNote,
  type EngineOptions,
  type EngineRow,
  type NewRow,
  type NoteKind,
  type QueuedJob,
  type TakenJob,
} from '../engine.ts';

/** What several engines in one process share, as they would share a server. */
export interface MemoryServer {
  readonly clock: Clock;
  /** While true, no engine reaches it. */
  isAway: boolean;
  readonly jobs: Map<string, MemoryJob>;
  readonly rows: Map<string, MemoryRows>;
  readonly notes: Map<string, { kind: NoteKind; id: string; body: string; until: number }>;
  readonly listeners: Set<(topic: string) => void>;
  count: number;
}

interface MemoryJob extends QueuedJob {
  order: number;
  state: 'waiting' | 'taken' | 'over';
  token: number;
  until: number;
}

interface MemoryRows {
  epoch: number;
  streams: Map<string, { bodies: string[]; keys: Set<string> }>;
}

export function memoryServer(clock: Clock): MemoryServer {
  return {
    clock,
    isAway: false,
    jobs: new Map(),
    rows: new Map(),
    notes: new Map(),
    listeners: new Set(),
    count: 0,
  };
}

/** The twin of a real engine, in this process. */
export function memoryEngine(server: MemoryServer, { leaseMs = defaultLeaseMs }: EngineOptions = {}): Engine {
  const own = new Set<(topic: string) => void>();
  const now = () => server.clock.monotonic();
  const act = async <T>(action: () => T): Promise<Result<T>> =>
    server.isAway ? failure('The engine memory: does not answer.') : ok(action());
  return {
    title: 'memory:',
    enqueue: (job) =>
      act(() => {
        if (server.jobs.has(job.id)) return;
        server.jobs.set(job.id, { ...job, order: server.count++, state: 'waiting', token: 0, until: 0 });
      }),
    take: (label) =>
      act(() => {
        const free = (job: MemoryJob) =>
          job.state === 'waiting' || (job.state === 'taken' && job.until <= now());
        const [job] = [...server.jobs.values()]
          .filter((one) => one.label === label && free(one))
          .sort((a, b) => a.priority - b.priority || a.order - b.order);
        if (!job) return undefined;
        job.state = 'taken';
        job.token = ++server.count;
        job.until = now() + leaseMs;
        return holdJob(job, job.token, now, leaseMs, act);
      }),
    claim: (jobId) => act(() => ++findRows(server, jobId).epoch),
    append: (jobId, rows, epoch) => act(() => appendRows(findRows(server, jobId), rows, epoch)),
    read: (jobId, stream, after, most) =>
      act(() => {
        const { bodies } = server.rows.get(jobId)?.streams.get(stream) ?? { bodies: [] };
        return bodies
          .slice(after, after + most)
          .map((body, at): EngineRow => ({ seq: after + at + 1, body }));
      }),
    remove: (jobId) =>
      act(() => {
        const job = findRows(server, jobId);
        job.epoch += 1;
        job.streams.clear();
      }),
    note: (kind, id, body, forMs) =>
      act(() => {
        server.notes.set(`${kind} ${id}`, { kind, id, body, until: now() + forMs });
      }),
    notes: (kind) =>
      act(() =>
        [...server.notes.values()].flatMap(({ id, body, until, ...one }): EngineNote[] =>
          one.kind === kind && until > now() ? [{ id, body, forMs: until - now() }] : [],
        ),
      ),
    ring: (topic) =>
      act(() => {
        for (const heard of [...server.listeners]) heard(topic);
      }),
    listen(heard) {
      own.add(heard);
      server.listeners.add(heard);
      return () => {
        own.delete(heard);
        server.listeners.delete(heard);
      };
    },
    async close() {
      for (const heard of own) server.listeners.delete(heard);
    },
  };
}

function holdJob(
  job: MemoryJob,
  token: number,
  now: () => number,
  leaseMs: number,
  act: <T>(action: () => T) => Promise<Result<T>>,
): TakenJob {
  const isHeld = () => job.state === 'taken' && job.token === token && job.until > now();
  const change = (next: () => void) =>
    act(() => {
      if (!isHeld()) return false;
      next();
      return true;
    });
  return {
    id: job.id,
    renew: () =>
      change(() => {
        job.until = now() + leaseMs;
      }),
    finish: () =>
      change(() => {
        job.state = 'over';
      }),
    release: () =>
      change(() => {
        job.state = 'waiting';
      }),
  };
}

function findRows(server: MemoryServer, jobId: string): MemoryRows {
  const found = server.rows.get(jobId) ?? { epoch: 0, streams: new Map() };
  server.rows.set(jobId, found);
  return found;
}

function appendRows(job: MemoryRows, rows: readonly NewRow[], epoch: number | undefined) {
  if (epoch !== undefined && epoch !== job.epoch) return 'stale' as const;
  for (const { stream, key, body } of rows) {
    const found = job.streams.get(stream) ?? { bodies: [], keys: new Set() };
    job.streams.set(stream, found);
    if (found.keys.has(key)) continue;
    found.keys.add(key);
    found.bodies.push(body);
  }
  return 'stored' as const;
}
