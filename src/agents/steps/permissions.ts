import { ok } from '../../lib/result.ts';
import type { PermissionContext } from '../../permissions/context.ts';
import type { OwnPlace, Role } from '../../places/types.ts';
import type { PermissionMode, Rule, Tool, ToolContext } from '../../protocol/index.ts';
import type { AgentDefinition } from '../definition.ts';
import { resolveIsolation } from '../isolation.ts';
import type { AgentKernel, AgentStep } from '../kernel.ts';
import { questionAbout } from '../question.ts';
import type { AgentSpec } from '../spec.ts';
import { asAgentWorktree } from '../worktrees.ts';
import { isolatePermissions } from './place.ts';

export interface PermissionNeeds {
  /** Allow rules that apply to this agent: files and command line, grants to the session, and its own grants. */
  listRules(agentId: string): readonly Rule[];
  /** The agent's run is over: its own grants end with it. */
  forgetGrants(agentId: string): void;
  readonly bypassAllowed: boolean;
  /** Whether its own plan was approved: its definition's plan mode is over. */
  isPlanApproved(agentId: string): boolean;
  /** The one file that an agent in its own plan mode may write. */
  findPlanFile(agentId: string): string;
  /** Makes the directory for the plan of an agent in its own plan mode. Returns the agent's instructions. */
  beginPlan(agentId: string): string;
  /** True if the user is asked before the first agent of a type starts. */
  readonly asksAboutTypes: boolean;
  /** False if settings say that agents ask: then those in their own worktree do so, too. */
  readonly worktreesAreFree: boolean;
}

export interface AgentPermissions {
  step: AgentStep;
  /** Whether it makes a plan of its own. An agent below a planning one helps with that one's plan instead. */
  plansAlone(spec: AgentSpec): boolean;
}

/** Its permissions: its role, its mode and its rules under the session's ceiling. Looked up at every call. */
export function openAgentPermissions(needs: PermissionNeeds): AgentPermissions {
  const editLeave = new EditLeave(needs.asksAboutTypes);
  const mayEdit = new WeakSet<AgentSpec>();
  const planners = new WeakMap<AgentSpec, boolean>();
  const plansAlone = (spec: AgentSpec): boolean => {
    // Decided when it starts: a plan that its parent begins later does not become its own.
    const plans = planners.get(spec) ?? beginsToPlan(spec);
    planners.set(spec, plans);
    return plans && !needs.isPlanApproved(spec.id);
  };
  const decideMode = (spec: AgentSpec, parent: PermissionMode): PermissionMode => {
    const { definition, id, place } = spec;
    if (!definition) return parent;
    return childMode({
      parent,
      definition: needs.isPlanApproved(id) ? withoutPlan(definition) : definition,
      isFreeToEdit: needs.worktreesAreFree && (place.worktree !== undefined || place.makesWorktree === true),
      editsAllowed: mayEdit.has(spec),
      bypassAllowed: needs.bypassAllowed,
    });
  };
  const step: AgentStep = {
    name: 'permissions',
    async complete(spec, agents) {
      const { id, parent, earlier } = spec;
      if (await editLeave.ask(spec, agents)) mayEdit.add(spec);
      const judge = childPermissions(() => parent.context.permissions, {
        get role() {
          return spec.tools.role();
        },
        get writable() {
          return spec.tools.writable;
        },
        mode: (mode) => decideMode(spec, mode),
        rules: () => needs.listRules(id),
        planFile: () => (plansAlone(spec) ? needs.findPlanFile(id) : undefined),
      });
      let isolate: ReturnType<typeof isolatePermissions> | undefined;
      spec.permissions = () => {
        const { worktree } = spec.place;
        if (worktree) isolate ??= isolatePermissions(asAgentWorktree(worktree));
        return isolate?.(judge()) ?? judge();
      };
      const instructions = plansAlone(spec) ? needs.beginPlan(id) : undefined;
      if (!earlier && canSubmitPlan(spec.tools.listed)) spec.conversation.reminder = instructions;
      return ok(undefined);
    },
    release: ({ id }) => needs.forgetGrants(id),
  };
  return { step, plansAlone };
}

function beginsToPlan({ definition, earlier, parent }: AgentSpec): boolean {
  if (definition?.permissionMode !== 'plan') return false;
  return earlier ? earlier.state.tools.includes(exitTool) : parent.context.permissions.mode !== 'plan';
}

function canSubmitPlan(tools: readonly Tool[]): boolean {
  return tools.some(({ name }) => name === exitTool);
}

const exitTool = 'ExitPlanMode';

/** Its plan was approved: from here on it is as if it had asked for no mode. */
export function withoutPlan({
  permissionMode,
  source,
}: AgentDefinition): Pick<AgentDefinition, 'permissionMode' | 'source'> {
  return permissionMode === 'plan' || permissionMode === undefined ? { source } : { permissionMode, source };
}

export interface OwnPermissions {
  role: Role;
  /** From the current mode of its parent. */
  mode(parent: PermissionMode): PermissionMode;
  rules(): readonly Rule[];
  /** Its own directories, which it writes without asking. */
  writable?: readonly OwnPlace[] | undefined;
  /** Where it writes its own plan. Without one it writes nothing in plan mode: not its parent's plan either. */
  planFile?(): string | undefined;
}

/**
 * A child's permissions: the session's ceiling, passed on unchanged, with its own role, mode and rules under it. Looked
 * up at every call, so that the user's changes for the parent apply to the child at once.
 */
export function childPermissions(
  above: () => PermissionContext,
  own: OwnPermissions,
): () => PermissionContext {
  return () => {
    const { ceiling, workspace, mode: parentMode } = above();
    const { planFile: _, ...shared } = workspace;
    const mode = own.mode(parentMode);
    const planFile = mode === 'plan' ? own.planFile?.() : undefined;
    const { writable } = own;
    return {
      ceiling,
      role: own.role,
      mode,
      rules: own.rules(),
      workspace: {
        ...shared,
        ...(planFile === undefined ? {} : { planFile }),
        ...(writable ? { writable } : {}),
      },
    };
  };
}

export interface ModeSituation {
  /** The current mode of the agent that started this one. */
  parent: PermissionMode;
  definition: Pick<AgentDefinition, 'permissionMode' | 'source'>;
  /** Edits in its own worktree do not reach the checkout before they are landed, which is asked about. */
  isFreeToEdit: boolean;
  /** The user has said that agents of this type may edit without asking. */
  editsAllowed: boolean;
  bypassAllowed: boolean;
}

/** A child's mode. Determined again for every call, so that the user's changes apply at once. */
export function childMode(situation: ModeSituation): PermissionMode {
  const { parent, isFreeToEdit, editsAllowed } = situation;
  if (parent === 'plan') return 'plan';
  const own = chooseDefinitionMode(situation);
  if (own === 'plan' || own === 'dontAsk') return own;
  if (parent !== 'default') return parent;
  if (own) return own;
  return isFreeToEdit || editsAllowed ? 'acceptEdits' : 'default';
}

/** A definition from a repository or a plugin may narrow the mode, never widen it, trusted or not. */
function chooseDefinitionMode({ definition, bypassAllowed }: ModeSituation): PermissionMode | undefined {
  const { permissionMode: mode, source } = definition;
  if (mode === undefined || mode === 'plan' || mode === 'dontAsk' || mode === 'default') return mode;
  if (source === 'project' || source === 'plugin') return undefined;
  return mode === 'bypassPermissions' && !bypassAllowed ? undefined : mode;
}

/** The users' answers about edits by agents of each type. */
export class EditLeave {
  readonly #byType = new Map<string, Promise<boolean>>();

  constructor(private readonly asksAboutTypes: boolean) {}

  /**
   * Whether the agent may edit files in the workspace without asking, if neither its parent's mode nor its definition
   * says. Whoever answers questions is asked once per type, if the setting says so; at a terminal that is the default.
   */
  async ask(
    { parent, request, definition, source, earlier }: AgentSpec,
    agents: AgentKernel,
  ): Promise<boolean> {
    const { call } = request;
    if (!definition || !call || earlier) return false;
    // There is nothing to ask about: in its own worktree it edits freely, or the setting says that it asks.
    if (request.worktree !== undefined) return false;
    if (resolveIsolation({ request, definition, source }, agents) !== undefined) return false;
    const { permissionMode } = agents.settings;
    if (permissionMode !== 'ask') return permissionMode === 'acceptEdits';
    const isOpen = parent.context.permissions.mode === 'default' && definition.permissionMode === undefined;
    if (!isOpen || !definition.role.writes || !this.asksAboutTypes) return false;
    const asked = this.#byType.get(definition.name) ?? ask(agents, definition, call);
    this.#byType.set(definition.name, asked);
    return asked;
  }
}

async function ask(agents: AgentKernel, { name }: AgentDefinition, call: ToolContext): Promise<boolean> {
  const question = questionAbout(agents, call, {
    toolName: 'Agent',
    by: 'default',
    input: { subagent_type: name },
    reason:
      'agents.permissionMode is ask here, so you choose once per session. Agents in their own worktree edit there without asking; you are asked before their work lands.',
    summary: `Let ${name} agents edit files in the workspace without asking each time?`,
    allows: 'for this session',
    refuses: 'ask before each edit',
  });
  const answer = await agents.questions.propose(question, call.signal);
  return answer.behaviour === 'allow';
}
