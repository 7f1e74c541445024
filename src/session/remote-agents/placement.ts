import type { Placement } from '../../agents/kernel.ts';
import type { AgentSpec } from '../../agents/spec.ts';
import { ok } from '../../lib/result.ts';
import { noUsage } from '../../protocol/index.ts';
import type { RemoteParts } from './parts.ts';
import { type PreparedJob, prepareJob } from './prepare-job.ts';
import { runRemoteAgent } from './remote-agent.ts';

/** Workers on other machines. */
export function remotePlacement(parts: RemoteParts): Placement {
  const prepared = new WeakMap<AgentSpec, PreparedJob>();
  return {
    name: 'remote',
    keepsRunning: parts.isKept,
    async prepare(agents, spec, signal) {
      const job = await prepareJob(parts, agents, spec, signal);
      if (job.ok) prepared.set(spec, job.value);
      return job.ok ? ok(undefined) : job;
    },
    async run(agents, spec, task) {
      const job = prepared.get(spec);
      if (job) return runRemoteAgent(parts, agents, spec, task, job);
      const outcome = {
        kind: 'failed' as const,
        text: '',
        reason: 'It was not prepared.',
        turns: 0,
        usage: noUsage,
      };
      const tools = { byName: {}, linesAdded: 0, linesRemoved: 0 };
      return { outcome, toolUses: 0, totalTokens: 0, durationMs: 0, tools };
    },
  };
}
