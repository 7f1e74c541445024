import { type AgentDefinition, forkType, workerType } from './definition.ts';
import { resolveIsolation } from './isolation.ts';
import type { AgentKernel } from './kernel.ts';
import type { LiveAgent } from './roster.ts';
import type { AgentRequest } from './spec.ts';
import { findType } from './steps/type.ts';

/** The id of a new agent. Its first letter says whether it is remote, which is known before its steps are taken. */
export function nameAgent(agents: AgentKernel, parent: LiveAgent, request: AgentRequest): string {
  const definition = foreseeType(agents, parent, request);
  const source = definition ? 'delegate' : 'fork';
  const isRemote = resolveIsolation({ request, definition, source }, agents) === 'remote';
  return `${isRemote ? 'r' : 'a'}${agents.ids.token(12)}`;
}

function foreseeType(
  { definitions, settings }: AgentKernel,
  { coordinates }: LiveAgent,
  { type }: AgentRequest,
): AgentDefinition | undefined {
  if (typeof type === 'object') return type;
  const usual = settings.fork ? forkType : 'general-purpose';
  return findType(definitions, coordinates ? workerType : (type ?? usual));
}
