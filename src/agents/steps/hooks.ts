import { ok } from '../../lib/result.ts';
import type { Hooks } from '../../protocol/index.ts';
import type { AgentDefinition } from '../definition.ts';
import type { AgentStep } from '../kernel.ts';
import { formatType } from '../spec.ts';

/** Whose hooks are wanted. */
export interface HookedAgent {
  id: string;
  type: string;
  parentToolUseId: string;
  definition?: AgentDefinition;
}

/** The session's hooks and those of the definition. A fork has no definition, hence none of its own. */
export function hookStep(findHooks: (agent: HookedAgent) => Hooks | undefined): AgentStep {
  return {
    name: 'hooks',
    complete(spec) {
      const { id, request, definition } = spec;
      spec.hooks = findHooks({
        ...{ id, type: formatType(spec), parentToolUseId: request.toolUseId },
        ...(definition ? { definition } : {}),
      });
      return ok(undefined);
    },
  };
}
