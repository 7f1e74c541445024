import type { AgentKernel } from '../agents/kernel.ts';
import type { Ground } from '../landing/types.ts';
import type { Result } from '../lib/result.ts';
import type { AgentDefinitions } from './agents/definitions.ts';
import type { CoordinatorChoice } from './coordinator.ts';
import type { Dreams } from './dreams/dreams.ts';
import type { Prompts } from './knowledge/skill-use.ts';
import type { LeadHands } from './lead/hands.ts';
import type { Lead } from './lead/lead.ts';
import type { OwnCommands } from './lead/own-command.ts';
import type { SessionLeases } from './leases.ts';
import type { SessionMcp } from './mcp/session-mcp.ts';
import type { SessionMoves } from './moves/feature.ts';
import type { Features } from './opening.ts';
import type { LeadPermissions } from './permissions.ts';
import type { SessionRemote } from './remote-agents/feature.ts';
import type { SessionTeam } from './team/team.ts';
import type { SessionWorkflows } from './workflows/workflows.ts';

/** The parts of the features that driving a session, and its methods, need. */
export interface SessionPorts {
  agents: AgentKernel;
  coordinator: CoordinatorChoice;
  definitions: AgentDefinitions;
  dreams: Dreams;
  features: Features;
  hands: LeadHands;
  lead: Lead;
  leases: SessionLeases;
  mcp: SessionMcp;
  moves: SessionMoves;
  ownCommands: OwnCommands;
  permissions: LeadPermissions;
  prompts: Prompts;
  remote: SessionRemote;
  team: SessionTeam;
  workflows: SessionWorkflows;
  /** Where worktrees are reviewed and landed from. */
  findGround(cwd: string): Promise<Result<Ground>>;
}
