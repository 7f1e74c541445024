import { ok } from '../../lib/result.ts';
import type { PermissionMode, Rule, Tool } from '../../protocol/index.ts';
import { childMode } from '../child-mode.ts';
import { childPermissions } from '../child-permissions.ts';
import type { AgentDefinition } from '../definition.ts';
import { EditLeave } from '../edit-leave.ts';
import { isolatePermissions } from '../isolation.ts';
import type { AgentStep } from '../kernel.ts';
import type { AgentSpec } from '../spec.ts';
import { asAgentWorktree } from '../worktrees.ts';

export interface PermissionNeeds {
  /** Allow rules that count for this agent: files and command line, what was granted to the session, and to it alone. */
  listRules(agentId: string): readonly Rule[];
  /** The agent's run is over: what was granted to it alone goes with it. */
  forgetGrants(agentId: string): void;
  readonly bypassAllowed: boolean;
  /** Whether its own plan was approved: its definition's plan mode is over. */
  isPlanApproved(agentId: string): boolean;
  /** The one file that an agent in a plan mode of its own may write. */
  findPlanFile(agentId: string): string;
  /** What an agent is told that plans by itself, with the file for its plan. */
  renderPlanInstructions(agentId: string): string;
  /** True where a person at a terminal answers questions, so that one may be put before an agent begins. */
  readonly isInteractive: boolean;
}

export interface AgentPermissions {
  step: AgentStep;
  /** What it is asked about, from the mode of its parent. */
  decideMode(spec: AgentSpec, parent: PermissionMode): PermissionMode;
}

/** What it may do: its role, its mode and its rules under the session's ceiling. Looked up at every call. */
export function openAgentPermissions(needs: PermissionNeeds): AgentPermissions {
  const editLeave = new EditLeave(needs.isInteractive);
  const mayEdit = new WeakSet<AgentSpec>();
  const decideMode = (spec: AgentSpec, parent: PermissionMode): PermissionMode => {
    const { definition, id, place } = spec;
    if (!definition) return parent;
    return childMode({
      parent,
      definition: needs.isPlanApproved(id) ? withoutPlan(definition) : definition,
      ownWorktree: place.worktree !== undefined,
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
        ...(spec.definition ? { planFile: () => needs.findPlanFile(id) } : {}),
      });
      let isolate: ReturnType<typeof isolatePermissions> | undefined;
      spec.permissions = () => {
        const { worktree } = spec.place;
        if (worktree) isolate ??= isolatePermissions(asAgentWorktree(worktree));
        return isolate?.(judge()) ?? judge();
      };
      const { mode } = parent.context.permissions;
      if (spec.definition && !earlier && plansAlone(mode, decideMode(spec, mode), spec.tools.listed))
        spec.conversation.reminder = needs.renderPlanInstructions(id);
      return ok(undefined);
    },
    release: ({ id }) => needs.forgetGrants(id),
  };
  return { step, decideMode };
}

/** In a plan mode that is its own: whom a planning parent starts is there to help with the parent's plan. */
function plansAlone(parent: PermissionMode, own: PermissionMode, tools: readonly Tool[]): boolean {
  return own === 'plan' && parent !== 'plan' && tools.some(({ name }) => name === 'ExitPlanMode');
}

/** Its plan was approved: from here on it is as if it had asked for no mode. */
function withoutPlan({
  permissionMode,
  source,
}: AgentDefinition): Pick<AgentDefinition, 'permissionMode' | 'source'> {
  return permissionMode === 'plan' || permissionMode === undefined ? { source } : { permissionMode, source };
}
