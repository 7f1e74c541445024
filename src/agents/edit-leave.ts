import type { ToolContext } from '../protocol/index.ts';
import type { AgentDefinition } from './definition.ts';
import type { AgentKernel } from './kernel.ts';
import { questionAbout } from './question.ts';
import type { AgentSpec } from './spec.ts';

/** What users said about edits by agents of each type. */
export class EditLeave {
  readonly #byType = new Map<string, Promise<boolean>>();

  constructor(private readonly isInteractive: boolean) {}

  /**
   * Whether the agent may edit files in the workspace without asking, where neither its parent's mode nor its definition
   * says. A person at a terminal is asked once per type; elsewhere the setting decides.
   */
  async ask({ parent, request, definition, earlier }: AgentSpec, agents: AgentKernel): Promise<boolean> {
    const { call } = request;
    if (!definition || !call || earlier) return false;
    // Nobody need be asked about edits in a place that is its own.
    if ((request.isolation ?? definition.isolation) === 'worktree') return false;
    const { permissionMode } = agents.settings;
    if (permissionMode !== 'ask') return permissionMode === 'acceptEdits';
    const isOpen = parent.context.permissions.mode === 'default' && definition.permissionMode === undefined;
    if (!isOpen || !definition.role.writes || !this.isInteractive) return false;
    const asked = this.#byType.get(definition.name) ?? ask(agents, definition, call);
    this.#byType.set(definition.name, asked);
    return asked;
  }
}

async function ask(agents: AgentKernel, { name }: AgentDefinition, call: ToolContext): Promise<boolean> {
  const question = questionAbout(agents, call, {
    ...{ toolName: 'Agent', by: 'default' },
    input: { subagent_type: name },
    reason: `agents of type ${name} could edit files in the workspace without asking each time; with a no they ask (setting agents.permissionMode)`,
    summary: `Let ${name} agents edit files in the workspace without asking?`,
    allows: `all ${name} agents of this session`,
  });
  const answer = await agents.questions.propose(question, call.signal);
  return answer.behaviour === 'allow';
}
