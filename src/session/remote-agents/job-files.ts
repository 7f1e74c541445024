import { join } from 'node:path';
import { z } from 'zod';
import { ensurePrivateDirectory, writeAtomic } from '../../lib/files/atomic.ts';
import { listNames } from '../../lib/files/list-names.ts';
import { readBoundedText } from '../../lib/files/read-bounded.ts';
import { ok, type Result } from '../../lib/result.ts';
import { parseQuietly } from '../../remote/job.ts';

const tools = z.object({
  byName: z.record(z.string(), z.number()),
  linesAdded: z.number(),
  linesRemoved: z.number(),
});

/** The newest job of one remote agent: enough to find it again on the engine, and to begin a later one for the same agent. */
const jobSchema = z.object({
  format: z.literal(1),
  agentId: z.string(),
  jobId: z.string(),
  /** How many jobs this agent has had, with this one. */
  ordinal: z.number(),
  /** The address of the engine, without a password. */
  engine: z.string(),
  /** The session that the agent is on its workers. The same for all of its jobs. */
  sessionId: z.string(),
  /** The checkout that its work began from, and where in it. */
  top: z.string(),
  /** The main checkout of its repository. */
  main: z.string(),
  stands: z.string(),
  base: z.string(),
  /** The base with what was not committed in it, where it continues in its own worktree. */
  head: z.string().optional(),
  /** The base has uncommitted changes of the user. */
  carries: z.boolean(),
  label: z.string(),
  /** `sent`: it may be on the engine. `over`: its result is in the session's transcript, and nothing of it is there any more. */
  state: z.enum(['new', 'sent', 'over']),
  /** How many rows of its events were read. */
  read: z.number(),
  toolUses: z.number(),
  tokens: z.number(),
  tools,
});

export type RemoteJob = z.output<typeof jobSchema>;

/** What a session keeps of its remote agents. */
export interface JobFiles {
  read(agentId: string): RemoteJob | undefined;
  write(job: RemoteJob): Result<void>;
  list(): RemoteJob[];
  /** The conversation of the agent as its last worker had it: its next job continues with it. */
  readLogs(agentId: string): ReadonlyMap<string, string>;
  writeLogs(agentId: string, logs: ReadonlyMap<string, string>): Result<void>;
}

const maxJob = 1024 * 1024;
const maxLogs = 512 * 1024 * 1024;

export function openJobFiles(directory: string): JobFiles {
  const locate = (agentId: string) => join(directory, `${agentId}.json`);
  const locateLogs = (agentId: string) => join(directory, `${agentId}.logs`);
  const read = (agentId: string): RemoteJob | undefined => {
    const text = readBoundedText(locate(agentId), maxJob, { refusesLinks: true });
    const job = jobSchema.safeParse(parseQuietly(text ?? ''));
    return job.success && job.data.agentId === agentId ? job.data : undefined;
  };
  const write = (path: string, text: string): Result<void> => {
    const made = ensurePrivateDirectory(directory);
    return made.ok ? writeAtomic(path, text) : made;
  };
  return {
    read,
    write: (job) => write(locate(job.agentId), `${JSON.stringify(job)}\n`),
    list: () =>
      listNames(directory).flatMap((name) => (name.endsWith('.json') ? (read(name.slice(0, -5)) ?? []) : [])),
    readLogs(agentId) {
      const text = readBoundedText(locateLogs(agentId), maxLogs, { refusesLinks: true });
      const logs = z.record(z.string(), z.string()).safeParse(parseQuietly(text ?? ''));
      return new Map(logs.success ? Object.entries(logs.data) : []);
    },
    writeLogs: (agentId, logs) => write(locateLogs(agentId), JSON.stringify(Object.fromEntries(logs))),
  };
}

/** For a session of which nothing is kept. */
export function memoryJobFiles(): JobFiles {
  const jobs = new Map<string, RemoteJob>();
  const logs = new Map<string, ReadonlyMap<string, string>>();
  return {
    read: (agentId) => jobs.get(agentId),
    write(job) {
      jobs.set(job.agentId, job);
      return ok(undefined);
    },
    list: () => [...jobs.values()],
    readLogs: (agentId) => logs.get(agentId) ?? new Map(),
    writeLogs(agentId, found) {
      logs.set(agentId, found);
      return ok(undefined);
    },
  };
}
