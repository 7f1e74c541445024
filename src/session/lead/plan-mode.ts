import { questionAbout } from '../../agents/question.ts';
import { ok, type Result } from '../../lib/result.ts';
import { remind } from '../../lib/text/harness-tags.ts';
import {
  enterPlanModeTool,
  exitPlanModeTool,
  type PlanDesk,
  planInstructions,
} from '../../modes/plan-mode.ts';
import type { PermissionMode, Tool, ToolContext } from '../../protocol/index.ts';
import type { AgentsPort } from '../agents/agents.ts';
import type { CoordinatorChoice } from '../coordinator.ts';
import type { SessionFeature } from '../opening.ts';
import { mayPlan } from '../options.ts';
import type { LeadPermissions } from '../permissions.ts';
import type { LeadState } from './lead-state.ts';

/** Plan mode: its tools, and the lead's instructions when it begins. */
export interface LeadPlanning {
  /** Whether the lead is shown the tools. Teammates have theirs in any case: their leader approves plans. */
  isOffered: boolean;
  /** The instructions for the lead's next prompt; once for each time that plan mode begins. */
  takeInstructions(): string | undefined;
  /** The earlier instructions about plan mode are no longer in the conversation. */
  forget(): void;
}

export function planFeature(
  state: LeadState,
  permissions: LeadPermissions,
  { agents, plans }: AgentsPort,
  { on: coordinates, planInstructions: instructions }: CoordinatorChoice,
): SessionFeature<LeadPlanning> {
  return {
    name: 'plan mode',
    open({ options, settings, inbox }) {
      const { planModeInstructions: workflow } = options;
      const lead = new LeadPlan(state, permissions, { whole: instructions, workflow });
      const desk = createPlanDesk(lead, permissions, { agents, plans }, coordinates);
      return {
        takeInstructions: () => lead.takeInstructions(),
        forget: () => lead.forget(),
        isOffered: coordinates || mayPlan(options, settings),
        drivingTools: planTools(() => desk),
        ready() {
          // No user prompts a teammate: its task comes from its leader.
          const text = options.teamPart?.task === undefined ? undefined : lead.takeInstructions();
          const content = text === undefined ? [] : [{ type: 'text' as const, text }];
          if (content.length > 0)
            inbox.postQuietly({ delivery: 'queue', content, origin: { kind: 'harness' } });
        },
      };
    },
  };
}

export function planTools(desk: () => PlanDesk): Tool[] {
  return [enterPlanModeTool(desk), exitPlanModeTool(desk)];
}

/** The lead's own plan mode. */
class LeadPlan {
  #isInstructed = false;

  constructor(
    private readonly state: LeadState,
    private readonly permissions: LeadPermissions,
    /** Replace the usual instructions, or the phases in them. */
    private readonly instead: { whole: string | undefined; workflow: string | undefined },
  ) {}

  enter(): Result<{ planFile: string; instructions: string }> {
    const changed = this.state.setMode('plan');
    if (!changed.ok) return changed;
    this.#isInstructed = true;
    const planFile = this.permissions.beginPlan();
    return ok({ planFile, instructions: planInstructions(planFile, this.instead.workflow) });
  }

  /** The mode after approval: the one from before, unless the user chose another with the approval. */
  leave(mode: PermissionMode | undefined): PermissionMode {
    const { permissions, state } = this;
    const wanted = mode ?? permissions.modeBeforePlan;
    if (permissions.mode !== 'plan') return permissions.mode;
    // A mode that may not be had must not keep it planning.
    if (wanted === 'plan' || !state.setMode(wanted).ok) state.setMode('default');
    return permissions.mode;
  }

  takeInstructions(): string | undefined {
    const isOn = this.state.mode === 'plan';
    if (!isOn) this.#isInstructed = false;
    if (!isOn || this.#isInstructed) return undefined;
    this.#isInstructed = true;
    const { whole, workflow } = this.instead;
    return remind(whole ?? planInstructions(this.permissions.beginPlan(), workflow));
  }

  forget(): void {
    this.#isInstructed = false;
  }
}

/** The session's view of plan mode: the lead's mode is the session's, a child's own mode applies to that child only. */
function createPlanDesk(
  lead: LeadPlan,
  { approvedPlans }: LeadPermissions,
  { agents, plans }: AgentsPort,
  coordinates: boolean,
): PlanDesk {
  /** A teammate's plan and that of a coordinator's worker are decided on by the leader. */
  const askAbove = ({ agentId, signal }: ToolContext, plan: Parameters<PlanDesk['propose']>[1]) => {
    return (
      agents.teams?.askPlan(agentId, plan, signal) ??
      (coordinates && agentId !== null ? plans.askLeader(agentId, plan, signal) : undefined)
    );
  };
  const findPermissions = (agentId: string | null) => agents.roster.find(agentId)?.context.permissions;
  return {
    findPlanFile(agentId) {
      const permissions = findPermissions(agentId);
      return permissions?.mode === 'plan' ? permissions.workspace.planFile : undefined;
    },
    helps: (agentId) => agentId !== null && findPermissions(agentId)?.mode === 'plan',
    enter: () => lead.enter(),
    leave(agentId, mode): PermissionMode {
      if (agentId === null) return lead.leave(mode);
      approvedPlans.add(agentId);
      return findPermissions(agentId)?.mode ?? 'default';
    },
    handsIn: (agentId) => coordinates && agentId === null,
    async propose(context, plan) {
      const above = askAbove(context, plan);
      if (above) return { answer: await above, isAttended: true };
      const question = questionAbout(agents, context, {
        ...{ toolName: 'ExitPlanMode', input: plan, by: 'mode' },
        ...{ reason: 'a plan needs approval by the user', summary: 'Approve this plan?' },
      });
      const answer = await agents.questions.propose(question, context.signal);
      return { answer, isAttended: agents.questions.isAttended() };
    },
  };
}
