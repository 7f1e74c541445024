import { askLeader } from '../agents/plan-requests.ts';
import { questionAbout } from '../agents/question.ts';
import type { AgentServices } from '../agents/services.ts';
import { ok, type Result } from '../lib/result.ts';
import type { PlanDesk } from '../modes/plan-mode.ts';
import type { PermissionMode } from '../protocol/index.ts';
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
        : services.propose(
            questionAbout(services, context, {
              ...{ toolName: 'ExitPlanMode', input: plan, by: 'mode' },
              ...{ reason: 'a plan is approved by a person', summary: 'Approve this plan?' },
            }),
            context.signal,
          ),
  };
}
