import type { AgentSpec } from '../../agents/spec.ts';
import type { Clock } from '../../lib/clock.ts';
import { ok, type Result } from '../../lib/result.ts';
import { groupRows } from '../../remote/bundle.ts';
import type { Engine, NewRow } from '../../remote/engine.ts';
import { type JobOrder, jobsBell, nameWork, storeOrder } from '../../remote/job.ts';
import type { JobKey } from '../../remote/keys.ts';
import { askAgain } from '../../remote/patient-engine.ts';
import { nameRepository, sendHistory } from '../../remote/repository.ts';
import { sealRow } from '../../remote/sealed-rows.ts';
import { formatSteps, type Step } from '../../remote/steps.ts';
import { bindGit } from '../../workspace/worktrees/repository.ts';
import { collectOrderRules } from '../remote/job-rules.ts';
import type { RemoteJob } from './job-files.ts';
import type { RemoteParts } from './parts.ts';

/** A limit that the agent gets for itself. */
export interface JobLimits {
  maxBudgetUsd?: number;
  maxTokens?: number;
}

/** One at a time: the first sends the history, and the others find it there. */
const sending = new WeakMap<Engine, Promise<unknown>>();

/**
 * Sends a job: its files, its order, and what came before. All of it can be repeated, and nothing is doubled: the next process of a
 * session that was killed in between does that.
 */
export async function submitJob(
  parts: RemoteParts,
  engine: Engine,
  key: JobKey,
  { spec, job, limits }: { spec: AgentSpec; job: RemoteJob; limits: JobLimits },
): Promise<Result<void>> {
  const before = sending.get(engine) ?? Promise.resolve();
  const sent = before.then(() => sendFiles(parts, engine, key, job));
  sending.set(engine, sent);
  const repository = await sent;
  if (!repository.ok) return repository;
  const order = describeJob(parts, spec, job, { repository: repository.value, limits });
  const stored = await storeOrder(engine, order, key);
  if (!stored.ok) return stored;
  const seeded = await storeEarlier(parts, engine, key, job);
  if (!seeded.ok) return seeded;
  const queued = await engine.enqueue({ id: job.jobId, label: job.label, priority: 5 });
  if (!queued.ok) return queued;
  await engine.ring(jobsBell);
  return ok(undefined);
}

/** The same engine, whose calls are repeated while its server is away. */
export function repeatCalls(engine: Engine, clock: Clock, signal: AbortSignal): Engine {
  return {
    ...engine,
    read: (...query) => askAgain(() => engine.read(...query), clock, signal),
    append: (...rows) => askAgain(() => engine.append(...rows), clock, signal),
    enqueue: (job) => askAgain(() => engine.enqueue(job), clock, signal),
  };
}

/** The name of the reference that keeps the commits of a job, for as long as it is not over. */
export function nameBase(jobId: string): string {
  return `refs/cadre/remote/${jobId}`;
}

/** What the engine lacks of the history. Returns the repository's name there. */
async function sendFiles(
  { world }: RemoteParts,
  engine: Engine,
  key: JobKey,
  { top, base, jobId }: RemoteJob,
): Promise<Result<string>> {
  const git = bindGit(world, top);
  const ref = nameBase(jobId);
  const kept = await git(['update-ref', ref, base]);
  if (!kept.ok) return kept;
  const repository = await nameRepository(git, base);
  if (!repository.ok) return repository;
  const sent = await sendHistory(engine, key, repository.value, { git, ref, tip: base });
  return sent.ok ? repository : sent;
}

function describeJob(
  { rules, world }: RemoteParts,
  spec: AgentSpec,
  { jobId, sessionId, base, stands, top }: RemoteJob,
  { repository, limits }: { repository: string; limits: JobLimits },
): JobOrder {
  const { id, request, engine, settings } = spec;
  const maxTurns = engine.limits.maxTurns ?? settings.maxTurns;
  return {
    format: 1,
    id: jobId,
    sessionId,
    submittedAt: world.clock.now(),
    description: request.description,
    repository,
    base,
    stands,
    agent: describeAgent(spec),
    model: engine.model.id,
    rules: collectOrderRules(rules(id), top),
    permissionMode: spec.permissions().mode,
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...limits,
  };
}

/** A worker knows the built-in types. It learns others, and what differs from them, from their fields. */
function describeAgent({ definition, request, earlier }: AgentSpec): JobOrder['agent'] {
  if (!definition) return { type: 'general-purpose' };
  const effort = request.effort ?? earlier?.state.effort ?? definition.effort;
  const { name: type, source, description, prompt, tools, disallowedTools, color } = definition;
  if (source === 'built-in' && effort === undefined) return { type };
  const { omitProjectMemory, autoCompactWindow, skills } = definition;
  return {
    type,
    definition: {
      ...{ description, prompt, tools, disallowedTools, omitProjectMemory, skills },
      ...(effort === undefined ? {} : { effort }),
      ...(color === undefined ? {} : { color }),
      ...(autoCompactWindow === undefined ? {} : { autoCompactWindow }),
    },
  };
}

/** Characters of a conversation in one row: text in JSON may become twice as long, and a character have several bytes. */
const partLength = 150_000;

/** The conversation of the agent's earlier jobs, as if a worker had stored it. */
async function storeEarlier(
  { files }: RemoteParts,
  engine: Engine,
  key: JobKey,
  { agentId, jobId, ordinal, base, head }: RemoteJob,
): Promise<Result<void>> {
  if (ordinal === 1) return ok(undefined);
  const steps: Step[] = [];
  for (const [file, text] of files.readLogs(agentId))
    for (let at = 0; at < text.length; at += partLength)
      steps.push({ kind: 'log', file, data: text.slice(at, at + partLength) });
  if (head !== undefined) steps.push({ kind: 'files', head, tip: base });
  const rows: NewRow[] = formatSteps(steps, 0, 0).map((row) => sealRow(key, nameWork(jobId, key.name), row));
  for (const group of groupRows(rows)) {
    const stored = await engine.append(jobId, group);
    if (!stored.ok) return stored;
  }
  return ok(undefined);
}
