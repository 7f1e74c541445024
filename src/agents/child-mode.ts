import type { PermissionMode } from '../protocol/index.ts';
import type { AgentDefinition } from './definition.ts';

export interface ModeSituation {
  /** The mode of the agent that started this one, as it is now. */
  parent: PermissionMode;
  definition: Pick<AgentDefinition, 'permissionMode' | 'source'>;
  /** Its own worktree: what it edits is nobody else's. */
  ownWorktree: boolean;
  /** The user has said that agents of this type may edit unasked. */
  editsAllowed: boolean;
  bypassAllowed: boolean;
}

/** What a child is asked about. Asked again for every call, so that a change of the user's counts at once. */
export function childMode(situation: ModeSituation): PermissionMode {
  const { parent, ownWorktree, editsAllowed } = situation;
  if (parent === 'plan') return 'plan';
  const own = modeOfDefinition(situation);
  if (own === 'plan' || own === 'dontAsk') return own;
  if (parent !== 'default') return parent;
  if (own) return own;
  return ownWorktree || editsAllowed ? 'acceptEdits' : 'default';
}

/** What a repository or a plugin brings along may narrow the mode, never widen it, trusted or not. */
function modeOfDefinition({ definition, bypassAllowed }: ModeSituation): PermissionMode | undefined {
  const { permissionMode: mode, source } = definition;
  if (mode === undefined || mode === 'plan' || mode === 'dontAsk' || mode === 'default') return mode;
  if (source === 'project' || source === 'plugin') return undefined;
  return mode === 'bypassPermissions' && !bypassAllowed ? undefined : mode;
}
