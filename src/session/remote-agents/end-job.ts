import { existsSync } from 'node:fs';
import { ok } from '../../lib/result.ts';
import type { Engine } from '../../remote/engine.ts';
import { bindGit } from '../../workspace/worktrees/repository.ts';
import type { RemoteJob } from './job-files.ts';
import type { RemoteParts } from './parts.ts';
import { nameBase } from './submit-job.ts';

/**
 * Removes what is left of a job whose end the session has recorded. A worker that still has it is refused from then on. False: the
 * engine does not answer, and the next process of the session tries again.
 */
export async function endJob(
  { files, world }: RemoteParts,
  engine: Engine,
  job: RemoteJob,
): Promise<boolean> {
  const removed = await engine.remove(job.jobId);
  if (!removed.ok) return false;
  await engine.ring(job.jobId);
  // The agent may have a later job by now.
  const isNewest = files.read(job.agentId)?.jobId === job.jobId;
  const noted = isNewest ? files.write({ ...job, state: 'over' }) : ok(undefined);
  // The branch of its worktree has what is needed.
  if (existsSync(job.main)) await bindGit(world, job.main)(['update-ref', '-d', nameBase(job.jobId)]);
  return noted.ok;
}
