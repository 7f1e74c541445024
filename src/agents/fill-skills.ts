import type { Child } from './child.ts';
import type { AgentDefinition } from './definition.ts';
import type { AgentServices } from './services.ts';
import { skillHands } from './skill-hands.ts';

/**
 * Completes the prompt of an agent that is about to begin with what the commands in its skills print. They run in its own
 * name: with its tools, its role and its mode, and with its hooks.
 */
export async function fillSkills(
  services: AgentServices,
  definition: AgentDefinition,
  child: Child,
  signal: AbortSignal,
): Promise<void> {
  const { system, id } = child;
  if (definition.skills.length === 0 || !system || !services.runPreloaded) return;
  const live = { context: child.makeContext(signal) };
  const changed = await services.runPreloaded(definition, (userHome) =>
    skillHands(services, live, `start-${id}`, userHome),
  );
  const at = changed ? system.indexOf(changed[0]) : -1;
  if (changed && at >= 0) system[at] = changed[1];
}
