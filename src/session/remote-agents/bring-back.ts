import type { AgentSpec } from '../../agents/spec.ts';
import { ok, type Result } from '../../lib/result.ts';
import { unpackHistory } from '../../remote/bundle.ts';
import type { Engine } from '../../remote/engine.ts';
import { readJobState } from '../../remote/steps.ts';
import type { WorktreeRecord } from '../../workspace/worktrees/record.ts';
import { bindGit, findRepository } from '../../workspace/worktrees/repository.ts';
import { checkOut, hasFiles, readFiles } from '../remote/carried-files.ts';
import type { RemoteJob } from './job-files.ts';
import type { RemoteParts } from './parts.ts';
import { enterWorktree } from './prepare-job.ts';

/**
 * Brings what a job has done back: its conversation, and its files as a worktree with a branch, where they can be looked at and landed
 * like those of any agent. Nothing was changed: no worktree. It can be repeated.
 */
export async function bringBack(
  parts: RemoteParts,
  engine: Engine,
  accepts: (signer: string) => boolean,
  { spec, job, submitter }: { spec: AgentSpec; job: RemoteJob; submitter: string },
): Promise<Result<void>> {
  const state = await readJobState(engine, { ...job, submitter }, accepts);
  if (!state.ok) return state;
  const { logs, bundles, files } = state.value;
  const kept = logs.size === 0 ? ok(undefined) : parts.files.writeLogs(job.agentId, logs);
  if (!kept.ok || !files) return kept;
  const { base, head = base, top } = job;
  if (files.tip === base && files.head === head) return ok(undefined);
  const git = bindGit(parts.world, top);
  for (const pieces of bundles) {
    const unpacked = await unpackHistory(git, pieces);
    if (!unpacked.ok) return unpacked;
  }
  return placeFiles(parts, spec, job, files);
}

/** In the agent's own worktree if that is as it was sent, else in a new one. */
async function placeFiles(
  parts: RemoteParts,
  spec: AgentSpec,
  job: RemoteJob,
  files: { head: string; tip: string },
): Promise<Result<void>> {
  const signal = new AbortController().signal;
  const own = await enterWorktree(parts, spec, signal);
  if (!own.ok) return own;
  if (own.value) {
    const now = await readFiles(own.value.path, parts.world);
    if (!now.ok) return now;
    if (await hasFiles(own.value.path, files, parts.world)) return ok(undefined);
    if (await hasFiles(own.value.path, { tip: job.base }, parts.world))
      return checkOut(own.value.path, files, parts.world);
  }
  const made = await makeWorktree(parts, spec, job, own.value !== undefined);
  if (!made.ok) return made;
  spec.place.worktree = made.value;
  return checkOut(made.value.path, files, parts.world);
}

async function makeWorktree(
  { worktrees, world }: RemoteParts,
  { id, request }: AgentSpec,
  { top, base, carries, ordinal }: RemoteJob,
  isTaken: boolean,
): Promise<Result<WorktreeRecord>> {
  const repository = await findRepository(top, world);
  if (!repository.ok) return repository;
  const { name, description } = request;
  const title = isTaken ? `${name ?? description} ${ordinal}` : name;
  const made = await worktrees.make({
    ...{ agentId: id, name: title, description, cwd: top, root: top },
    from: { commit: base, carries },
    signal: new AbortController().signal,
  });
  return made.ok ? ok(made.value.record) : made;
}
