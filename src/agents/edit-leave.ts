import type { ToolContext } from '../protocol/index.ts';
import type { AgentDefinition } from './definition.ts';
import { questionAbout } from './question.ts';
import type { LiveAgent } from './roster.ts';
import type { AgentServices } from './services.ts';

/**
 * Whether agents of a type may edit files in the workspace unasked, where neither their parent's mode nor their
 * definition says. A person at a terminal is asked once per type; elsewhere the setting decides.
 */
export async function askAboutEdits(
  services: AgentServices,
  parent: LiveAgent,
  definition: AgentDefinition,
  context: ToolContext,
): Promise<boolean> {
  const { permissionMode } = services.settings;
  if (permissionMode !== 'ask') return permissionMode === 'acceptEdits';
  const isOpen = parent.context.permissions.mode === 'default' && definition.permissionMode === undefined;
  if (!isOpen || !definition.role.writes || !services.isInteractive) return false;
  const known = services.editLeave.get(definition.name);
  if (known) return known;
  const asked = ask(services, definition, context);
  services.editLeave.set(definition.name, asked);
  return asked;
}

async function ask(
  services: AgentServices,
  { name }: AgentDefinition,
  context: ToolContext,
): Promise<boolean> {
  const question = questionAbout(services, context, {
    ...{ toolName: 'Agent', by: 'default' },
    input: { subagent_type: name },
    reason: `agents of type ${name} could edit files in the workspace without asking each time; with a no they ask (setting agents.permissionMode)`,
    summary: `Let ${name} agents edit files in the workspace without asking?`,
    allows: `all ${name} agents of this session`,
  });
  const answer = await services.propose(question, context.signal);
  return answer.behaviour === 'allow';
}
