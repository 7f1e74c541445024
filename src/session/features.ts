import { agentFeature } from './agents/agents.ts';
import { definitionFeature } from './agents/definitions.ts';
import { boardFeature } from './board.ts';
import { claimFeature } from './claim.ts';
import { commandFeature, type SessionCommands } from './commands.ts';
import { coordinatorFeature } from './coordinator.ts';
import { doorFeature } from './door.ts';
import { dreamFeature } from './dreams/dreams.ts';
import { hookFeature } from './hooks.ts';
import { housekeepingFeature } from './housekeeping.ts';
import type { Kernel } from './kernel.ts';
import { knowledgeFeature } from './knowledge/knowledge.ts';
import { skillUseFeature } from './knowledge/skill-use.ts';
import { skillFeature } from './knowledge/skills.ts';
import { handsFeature } from './lead/hands.ts';
import { stateFeature } from './lead/lead-state.ts';
import { machineToolFeature } from './lead/machine-tools.ts';
import { leadFeature } from './lead/open-lead.ts';
import { ownCommandFeature } from './lead/own-command.ts';
import { planFeature } from './lead/plan-mode.ts';
import { ownTools, ToolPool } from './lead/tool-pool.ts';
import { leaseFeature } from './leases.ts';
import { mcpFeature } from './mcp/session-mcp.ts';
import { modelFeature } from './models.ts';
import { moveFeature } from './moves/feature.ts';
import type { Features } from './opening.ts';
import { permissionFeature } from './permissions.ts';
import { judgeFeature } from './questions/judge.ts';
import { receiptFeature } from './receipts.ts';
import { remoteFeature } from './remote-agents/feature.ts';
import { sandboxFeature } from './sandbox.ts';
import type { SessionPorts } from './session-ports.ts';
import { teamFeature } from './team/team.ts';
import { teamMemoryFeature } from './team-memory.ts';
import { workflowFeature } from './workflows/workflows.ts';
import { worktreeFeature, worktreeToolFeature } from './worktrees/worktrees.ts';

export type OpenedPorts = SessionPorts & { commands: SessionCommands };

/**
 * The features of a session, in the order of opening: one line each. A feature sees only the kernel and the earlier
 * features that it is given here. Closing is the reverse. Features that a program adds open first.
 */
export async function openFeatures(
  kernel: Kernel,
  features: Features,
  found: readonly string[],
): Promise<OpenedPorts> {
  const open = features.open.bind(features);
  await open(housekeepingFeature(found));
  for (const given of kernel.options.features ?? []) await open(given, true);
  const own = ownTools(kernel, features);
  const coordinator = await open(coordinatorFeature());
  const definitions = await open(definitionFeature(coordinator, own));
  const { models } = await open(modelFeature(definitions));
  const { permissions, plansAlone } = await open(permissionFeature(coordinator, definitions, own));
  const judges = await open(judgeFeature(models));
  const { state } = await open(stateFeature(models, permissions, judges, definitions, coordinator));
  const { mcp } = await open(mcpFeature(definitions, coordinator, permissions));
  const skills = await open(skillFeature(definitions));
  const knowledge = await open(knowledgeFeature(skills, permissions));
  const { sandbox } = await open(sandboxFeature(permissions));
  const leases = await open(leaseFeature(coordinator));
  const hands = await open(handsFeature(permissions, leases, sandbox));
  const worktree = await open(worktreeFeature(hands, permissions, sandbox));
  const hooks = await open(hookFeature(hands, definitions, coordinator, skills, models, permissions));
  const teamMemory = await open(teamMemoryFeature(permissions));
  await open(machineToolFeature(models, mcp, knowledge, skills, teamMemory));
  const board = await open(boardFeature());
  await open(receiptFeature());
  const pool = new ToolPool(kernel, features, permissions.startRules);
  const shared = { definitions, models, permissions, judges, mcp, scopes: skills.scopes, pool, features };
  const below = await open(agentFeature({ ...shared, plansAlone, leases, sandbox, hands }, coordinator));
  const { remote } = await open(remoteFeature({ worktrees: below.worktrees, permissions, sandbox }));
  const { agents } = below;
  const joint = { board, memory: teamMemory, leases, ownMode: { state, main: definitions.main } };
  const { team } = await open(teamFeature(agents, joint));
  const planning = await open(planFeature(state, permissions, below, coordinator));
  const { findGround } = await open(worktreeToolFeature(worktree, hands, permissions, sandbox));
  const { workflows } = await open(workflowFeature(agents, models));
  const prompts = await open(
    skillUseFeature(skills, agents, [mcp.commands, workflows.commands], permissions),
  );
  const ownParts = { coordinator, knowledge, state, planning, prompts, startsIn: worktree.startsIn };
  const { lead } = await open(
    leadFeature({ ...shared, ...ownParts, hands: hands.hands, hooks: hooks.forLead }),
  );
  const dreams = await open(dreamFeature(agents));
  const { ownCommands } = await open(ownCommandFeature(hands));
  const { moves } = await open(moveFeature({ definitions, lead, models, permissions, team }));
  const ports: SessionPorts = {
    ...{ agents, coordinator, definitions, dreams, features, hands, lead, leases },
    ...{ mcp, moves, ownCommands, permissions, prompts, findGround, remote, team, workflows },
  };
  const { commands } = await open(commandFeature(ports));
  await open(claimFeature(commands));
  await open(doorFeature(commands, ports));
  features.ready();
  return { ...ports, commands };
}
