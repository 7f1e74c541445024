import type { AgentKernel } from '../../agents/kernel.ts';
import { findRunning, resumeAgent } from '../../agents/resume-agent.ts';
import type { TaskRecord } from '../../protocol/index.ts';
import type { Kernel } from '../kernel.ts';
import { endJob } from './end-job.ts';
import type { RemoteParts } from './parts.ts';

/**
 * Finds the remote agents again that ran when the last process of the session ended: they show what they did meanwhile, and end here.
 * Jobs of agents that do not continue are taken from their workers.
 */
export async function continueJobs(
  { events, restored }: Pick<Kernel, 'events' | 'restored'>,
  agents: AgentKernel,
  parts: RemoteParts | undefined,
): Promise<void> {
  const running = restored?.remote ?? [];
  if (!parts) {
    if (running.length > 0) events.warn(describeUnreachable(running));
    return;
  }
  parts.finish(endLeftJobs(parts, new Set(running.map(({ task }) => task.id))));
  const lead = agents.roster.find(null);
  for (const { task } of lead ? running : []) {
    if (!lead || findRunning(agents, task.id)) continue;
    const went = await resumeAgent(agents, lead, task, () => undefined, {
      toolUseId: task.toolUseId ?? `resume-${agents.ids.token(12)}`,
      signal: new AbortController().signal,
      background: true,
    });
    if (!went.ok) events.warn(`The remote agent ${task.id} was not found again: ${went.problem.message}`);
  }
}

function describeUnreachable(running: readonly TaskRecord[]): string {
  const names = running.map(({ task }) => task.id).join(', ');
  return `Remote agents of this session may still run: ${names}. To receive their results, continue it with --engine ADDRESS.`;
}

/** They ended with their session, or their rows could not be removed at their end. */
async function endLeftJobs(parts: RemoteParts, running: ReadonlySet<string>): Promise<void> {
  const left = parts.files.list().filter((job) => job.state !== 'over' && !running.has(job.agentId));
  if (left.length === 0) return;
  const engine = await parts.connect();
  if (!engine.ok) return;
  for (const job of left) if (job.engine === parts.title) await endJob(parts, engine.value, job);
}
