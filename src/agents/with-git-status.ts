import type { Order } from './child.ts';
import type { AgentDefinition } from './definition.ts';
import { placeOf } from './isolation.ts';
import type { LiveAgent } from './roster.ts';
import type { AgentServices } from './services.ts';

/** The order, with what git says of the place where the agent begins, for those that are told. */
export async function withGitStatus(
  services: AgentServices,
  parent: LiveAgent,
  definition: AgentDefinition,
  order: Order,
): Promise<Order> {
  const gitStatus = await services.gitStatus?.(definition, placeOf(parent, order));
  return gitStatus === undefined ? order : { ...order, gitStatus };
}
