import type { AgentDefinitions } from '../agents/definitions.ts';
import type { Lead } from '../lead/lead.ts';
import type { Models } from '../models.ts';
import type { LeadPermissions } from '../permissions.ts';
import type { SessionTeam } from '../team/team.ts';

/** The parts of a session that a move asks. */
export interface MoveNeeds {
  definitions: AgentDefinitions;
  lead: Lead;
  models: Models;
  permissions: LeadPermissions;
  team: SessionTeam;
}
