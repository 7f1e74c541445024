import { type AgentsPort, agents } from './agents/agents.ts';
import type { AgentDefinitions } from './agents/definitions.ts';
import { agentDefinitions } from './agents/definitions.ts';
import { type CoordinatorChoice, coordinatorChoice } from './coordinator.ts';
import { type Dreams, dreams } from './dreams/dreams.ts';
import { hooks } from './hooks.ts';
import { housekeeping } from './housekeeping.ts';
import type { Kernel } from './kernel.ts';
import { knowledge } from './knowledge/knowledge.ts';
import { type Prompts, skillUse } from './knowledge/skill-use.ts';
import { skills } from './knowledge/skills.ts';
import { type LeadHands, leadHands } from './lead/hands.ts';
import type { Lead } from './lead/lead.ts';
import { leadState } from './lead/lead-state.ts';
import { machineTools } from './lead/machine-tools.ts';
import { leadAgent } from './lead/open-lead.ts';
import { type OwnCommands, ownCommands } from './lead/own-command.ts';
import { planMode } from './lead/plan-mode.ts';
import { ownTools, ToolPool } from './lead/tool-pool.ts';
import { leases, type SessionLeases } from './leases.ts';
import { mcpServers, type SessionMcp } from './mcp/session-mcp.ts';
import { models } from './models.ts';
import type { Features } from './opening.ts';
import { type LeadPermissions, permissions } from './permissions.ts';
import { judges } from './questions/judge.ts';
import { sandbox } from './sandbox.ts';
import { stopRequests } from './stop-requests.ts';
import { leadWorktree, worktreeTools } from './worktrees/worktrees.ts';

/** What a session's own methods need of its features. */
export interface SessionPorts {
  agents: AgentsPort['agents'];
  coordinator: CoordinatorChoice;
  definitions: AgentDefinitions;
  dreams: Dreams;
  features: Features;
  hands: LeadHands;
  lead: Lead;
  leases: SessionLeases;
  mcp: SessionMcp;
  ownCommands: OwnCommands;
  permissions: LeadPermissions;
  prompts: Prompts;
}

/**
 * The features of a session, in the order of opening: one line each. A feature sees the kernel and the earlier features
 * that it is given here, nothing else. Closing is the reverse. Those that a program gives open first.
 */
export async function openFeatures(
  kernel: Kernel,
  features: Features,
  found: { releaseClaim(): void; notices: readonly string[] },
): Promise<SessionPorts> {
  const open = features.open.bind(features);
  await open(housekeeping(found));
  for (const given of kernel.options.features ?? []) await open(given, true);
  const coordinator = await open(coordinatorChoice());
  const definitions = await open(agentDefinitions(coordinator));
  const model = await open(models(definitions));
  const allowed = await open(permissions(coordinator, definitions, ownTools(kernel, features)));
  const judging = await open(judges(model));
  const { state } = await open(leadState(model, allowed, judging, definitions, coordinator));
  const servers = await open(mcpServers(definitions, coordinator, allowed));
  const known = await open(skills(definitions));
  const told = await open(knowledge(known));
  const confined = await open(sandbox());
  const held = await open(leases(coordinator));
  const hands = await open(leadHands(allowed, held, confined));
  const worktree = await open(leadWorktree(hands, allowed, confined));
  const hooked = await open(hooks(hands, definitions, coordinator, known, model, allowed));
  await open(machineTools(model, servers, told, known));
  const pool = new ToolPool(kernel, features, allowed.permissions.startRules);
  const below = await open(
    agents(
      {
        ...model,
        ...allowed,
        ...servers,
        ...confined,
        ...known,
        definitions,
        judges: judging,
        leases: held,
        pool,
        features,
      },
      coordinator,
    ),
  );
  const planning = await open(planMode({ state }, allowed, below, coordinator));
  await open(worktreeTools(worktree, hands, allowed, confined));
  const prompts = await open(skillUse(known, below, servers, allowed));
  const { lead } = await open(
    leadAgent({
      ...model,
      ...allowed,
      ...servers,
      definitions,
      coordinator,
      knowledge: told,
      pool,
      features,
      startsIn: worktree.startsIn,
      hands: hands.hands,
      hooks: hooked.forLead,
      judge: judging.judge,
      planning,
      prompts,
      scopes: known.scopes,
      state,
    }),
  );
  const dreaming = await open(dreams(below));
  await open(stopRequests(below));
  const own = await open(ownCommands(hands));
  features.ready();
  return {
    ...below,
    ...allowed,
    ...servers,
    ...own,
    coordinator,
    definitions,
    dreams: dreaming,
    features,
    hands,
    lead,
    leases: held,
    prompts,
  };
}
