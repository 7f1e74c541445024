import type { Hooks } from '../protocol/index.ts';
import type { AgentDefinition } from './definition.ts';
import type { AgentServices } from './services.ts';

/** The session's hooks and those of the definition. A fork has no definition, hence none of its own. */
export function childHooks(
  services: AgentServices,
  { agentId, toolUseId }: { agentId: string; toolUseId: string },
  type: string,
  definition?: AgentDefinition,
): Hooks | undefined {
  return services.hooksFor?.({
    ...{ id: agentId, type, parentToolUseId: toolUseId },
    ...(definition ? { definition } : {}),
  });
}
