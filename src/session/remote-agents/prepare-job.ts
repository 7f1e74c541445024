import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import type { AgentKernel } from '../../agents/kernel.ts';
import type { AgentSpec } from '../../agents/spec.ts';
import { asAgentWorktree } from '../../agents/worktrees.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import { resolveRealPath } from '../../workspace/real-path.ts';
import { carriedCommit } from '../../workspace/worktrees/carry.ts';
import { listRecords, locateStand, type WorktreeRecord } from '../../workspace/worktrees/record.ts';
import { findRepository, resolveCommit } from '../../workspace/worktrees/repository.ts';
import { readFiles } from '../remote/carried-files.ts';
import type { RemoteJob } from './job-files.ts';
import type { RemoteParts } from './parts.ts';

export interface PreparedJob {
  job: RemoteJob;
  /** For the agent, before its first letter. */
  note: string;
}

const noTools = { byName: {}, linesAdded: 0, linesRemoved: 0 };

/**
 * The job of an agent that is about to run: the one that it already has, or a new one from the files as they are now. Nothing is sent
 * yet. A problem is the answer to the call that wanted the agent.
 */
export async function prepareJob(
  parts: RemoteParts,
  agents: AgentKernel,
  spec: AgentSpec,
  signal: AbortSignal,
): Promise<Result<PreparedJob>> {
  const earlier = parts.files.read(spec.id);
  if (earlier && earlier.state !== 'over') return findAgain(parts, earlier);
  const foreign = namePrograms(spec);
  if (foreign !== undefined)
    return usage(
      `The agent type ${spec.definition?.name} has ${foreign}, which would run programs on the worker.`,
      'Use it without isolation: remote, or a type without them.',
    );
  const base = earlier
    ? await continueBase(parts, spec, signal)
    : await findBase(parts, spec.place.cwd, (notes) => spec.notes.push(...notes));
  if (!base.ok)
    return usage(`isolation: remote is not possible here. ${base.problem.message}`, base.problem.hint);
  const ordinal = (earlier?.ordinal ?? 0) + 1;
  const job: RemoteJob = {
    format: 1,
    agentId: spec.id,
    jobId: `${parts.session.slice(0, 8)}-${spec.id}-${ordinal}`,
    ordinal,
    engine: parts.title,
    sessionId: earlier?.sessionId ?? agents.ids.uuid(),
    ...base.value.start,
    label: spec.place.host ?? parts.label,
    state: 'new',
    read: 0,
    toolUses: 0,
    tokens: 0,
    tools: noTools,
  };
  return ok({ job, note: earlier ? describeReturn(base.value.record) : '' });
}

function findAgain({ title }: RemoteParts, job: RemoteJob): Result<PreparedJob> {
  if (job.engine === title) return ok({ job, note: '' });
  return usage(
    `The agent ${job.agentId} was sent through the engine ${job.engine}, and this session uses ${title}.`,
    `To receive its result, continue the session with --engine ${job.engine}.`,
  );
}

/** The worker refuses them too: this says it before anything is sent. */
function namePrograms({ definition }: AgentSpec): string | undefined {
  if (Object.keys(definition?.hooks ?? {}).length > 0) return 'hooks';
  return definition?.mcpServers.some(({ config }) => config !== undefined) ? 'mcpServers' : undefined;
}

type Start = Pick<RemoteJob, 'top' | 'main' | 'stands' | 'base' | 'head' | 'carries'>;

interface Base {
  start: Start;
  /** The worktree with the agent's earlier work. */
  record?: WorktreeRecord;
}

/** Where work begins that a worktree would begin from. */
async function findBase(
  { world, start, refuses }: RemoteParts,
  cwd: string,
  note: (notes: readonly string[]) => void,
): Promise<Result<Base>> {
  const repository = await findRepository(cwd, world);
  if (!repository.ok) return repository;
  const { top, main } = repository.value;
  const head = await resolveCommit(start.from ?? 'HEAD', cwd, world);
  if (!head.ok) return head;
  const stands = relative(top, resolveRealPath(cwd));
  if (!start.uncommitted) return ok({ start: { top, main, stands, base: head.value, carries: false } });
  const whose = top === main ? 'the main checkout' : `the checkout ${top}`;
  const carried = await carriedCommit({ top, head: head.value, whose }, world, refuses());
  if (!carried.ok) return carried;
  const { commit: base, notes } = carried.value;
  note(notes);
  return ok({ start: { top, main, stands, base, carries: base !== head.value } });
}

/** From its own worktree as it is now, or where that is gone, from the checkout. */
async function continueBase(parts: RemoteParts, spec: AgentSpec, signal: AbortSignal): Promise<Result<Base>> {
  const record = await enterWorktree(parts, spec, signal);
  if (!record.ok) return record;
  if (!record.value) return findBase(parts, spec.place.cwd, (notes) => spec.notes.push(...notes));
  return readWorktree(parts, record.value);
}

/** The worktree with an agent's work, taken for as long as the agent runs. */
export async function enterWorktree(
  { world, session, worktrees }: RemoteParts,
  { id, request, place }: AgentSpec,
  signal: AbortSignal,
): Promise<Result<WorktreeRecord | undefined>> {
  // This run has it already.
  if (place.worktree && existsSync(place.worktree.path)) return ok(place.worktree);
  const found = findWorktree(world.home, session, id);
  if (!found) return ok(undefined);
  const { name, description } = request;
  const entered = await worktrees.again({ agentId: id, name, description, signal }, asAgentWorktree(found));
  if (!entered.ok) return entered;
  place.worktree = entered.value.record;
  return ok(entered.value.record);
}

export function findWorktree(home: string, session: string, agentId: string): WorktreeRecord | undefined {
  return listRecords(home).findLast(
    (record) =>
      record.session === session &&
      record.agentId === agentId &&
      record.state === 'ready' &&
      !record.scratch &&
      existsSync(record.path),
  );
}

async function readWorktree({ world }: RemoteParts, record: WorktreeRecord): Promise<Result<Base>> {
  const { path, main } = record;
  const now = await readFiles(path, world);
  if (!now.ok) return now;
  const stands = relative(path, locateStand(record));
  const { head, tip } = now.value;
  return ok({ start: { top: path, main, stands, base: tip, head, carries: false }, record });
}

function describeReturn(record: WorktreeRecord | undefined): string {
  const where = record
    ? 'Your files are there as you left them, with what was changed in them since.'
    : 'Your earlier work has landed or was dropped: you have the files of the repository as they are now, which may differ from what you read before.';
  return `You continue on a worker, in a new checkout: your directory may have another path than before. ${where}`;
}
