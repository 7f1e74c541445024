import { askLeader } from '../agents/plan-requests.ts';
import type { AgentServices } from '../agents/services.ts';
import { ok, type Result } from '../lib/result.ts';
import type { PlanDesk } from '../modes/plan-mode.ts';
import type { PermissionMode, Question, ToolContext } from '../protocol/index.ts';
import type { Lead } from './lead.ts';

/** Plan mode as the session has it: the lead's is the session's, a child's own counts for that child alone. */
export function createPlanDesk(lead: Lead, services: AgentServices, coordinates: boolean): PlanDesk {
  const permissionsOf = (agentId: string | null) => services.roster.find(agentId)?.context.permissions;
  return {
    planFileOf(agentId) {
      const permissions = permissionsOf(agentId);
      return permissions?.mode === 'plan' ? permissions.workspace.planFile : undefined;
    },
    enter(): Result<{ planFile: string }> {
      const changed = lead.setMode('plan');
      if (!changed.ok) return changed;
      lead.noteInstructed();
      return ok({ planFile: lead.planFile });
    },
    leave(agentId, mode): PermissionMode {
      if (agentId === null) return lead.leavePlan(mode);
      services.approvedPlans.add(agentId);
      return permissionsOf(agentId)?.mode ?? 'default';
    },
    handsIn: (agentId) => coordinates && agentId === null,
    propose: (context, plan) =>
      coordinates && context.agentId !== null
        ? askLeader(services, context.agentId, plan, context.signal)
        : services.propose(questionOf(services, context, plan), context.signal),
  };
}

function questionOf(
  services: AgentServices,
  { agentId, toolUseId, directory }: ToolContext,
  plan: { plan: string; planFilePath: string },
): Question {
  const { badge, limits } = services.roster.find(agentId)?.context ?? {};
  const askedAt = services.clock.now();
  return {
    id: services.ids.uuid(),
    sessionId: services.sessionId,
    agentId,
    asker: badge ?? { type: 'lead' },
    toolUseId,
    toolName: 'ExitPlanMode',
    input: plan,
    cwd: directory.current,
    decision: { behaviour: 'ask', by: 'mode', reason: 'a plan is approved by a person' },
    risk: { level: 'low', reasons: [] },
    suggestions: [],
    summary: 'Approve this plan?',
    askedAt,
    // Nobody waits for a background agent's dialog: unanswered it is rejected.
    expiresAt: badge?.background ? askedAt + (limits?.questionTimeoutMs ?? backgroundPatienceMs) : null,
  };
}

const backgroundPatienceMs = 10 * 60 * 1000;
