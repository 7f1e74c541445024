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
  // The branch of its worktree has what is needed. The checkout may be gone.
  await bindGit(world, job.top)(['update-ref', '-d', nameBase(job.jobId)]);
  // The agent may have a later job by now.
  if (files.read(job.agentId)?.jobId !== job.jobId) return true;
  return files.write({ ...job, state: 'over' }).ok;
}
