import type { AgentKernel } from '../agents/kernel.ts';
import type { AgentDefinitions } from './agents/definitions.ts';
import type { CoordinatorChoice } from './coordinator.ts';
import type { Dreams } from './dreams/dreams.ts';
import type { Prompts } from './knowledge/skill-use.ts';
import type { LeadHands } from './lead/hands.ts';
import type { Lead } from './lead/lead.ts';
import type { OwnCommands } from './lead/own-command.ts';
import type { SessionLeases } from './leases.ts';
import type { SessionMcp } from './mcp/session-mcp.ts';
import type { Features } from './opening.ts';
import type { LeadPermissions } from './permissions.ts';

/** What driving a session, and a session's own methods, need of its features. */
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
  ownCommands: OwnCommands;
  permissions: LeadPermissions;
  prompts: Prompts;
}
