import type { AgentDefinition } from '../../agents/definition.ts';
import { childMode } from '../../agents/steps/permissions.ts';
import type { Result } from '../../lib/result.ts';
import { leaderName, type PermissionMode } from '../../protocol/index.ts';
import type { TeamOffice } from '../../team/office.ts';
import { watchFiles } from '../../team/watch-files.ts';
import type { Kernel } from '../kernel.ts';
import type { TeamPart } from '../team-part.ts';

/** The session's own mode, and what it runs as. */
export interface OwnMode {
  readonly state: {
    readonly mode: PermissionMode;
    setMode(mode: PermissionMode): Result<void>;
    /** Where the end of plan mode leads. */
    returnTo(mode: PermissionMode): void;
  };
  readonly main: Pick<AgentDefinition, 'permissionMode' | 'source'> | undefined;
}

interface FollowParts {
  readonly kernel: Kernel;
  readonly office: TeamOffice;
  readonly own: OwnMode;
  readonly part: TeamPart;
}

/**
 * A teammate in a pane has the mode that it would have in its leader's process, also after the user changes that of the leader. What the
 * user sets in the pane holds until then. Until the returned function is called.
 */
export function followLeaderMode({ kernel, office, own, part }: FollowParts): () => void {
  const { main, state } = own;
  let known = part.leaderMode;
  const follow = (leader: PermissionMode) => {
    // Its own plan was approved: from then on it is as if its definition named no mode.
    const isApproved = state.mode !== 'plan';
    if (main?.permissionMode === 'plan' && !isApproved) state.returnTo(decideMode(leader, main, part, true));
    return decideMode(leader, main, part, isApproved);
  };
  const look = () => {
    const leader = office.members.read(leaderName)?.permissionMode;
    if (leader === undefined || leader === known) return;
    known = leader;
    const mode = follow(leader);
    if (mode === state.mode) return;
    const changed = state.setMode(mode);
    if (!changed.ok) kernel.events.warn(`The mode of the leader is ${leader}. ${changed.problem.message}`);
  };
  if (known !== undefined) follow(known);
  look();
  return watchFiles(office.place.members, kernel.place.clock, look);
}

function decideMode(
  leader: PermissionMode,
  main: OwnMode['main'],
  { modeUnderDefault }: TeamPart,
  isApproved: boolean,
): PermissionMode {
  const { permissionMode, source = 'built-in' } = main ?? {};
  const named = isApproved && permissionMode === 'plan' ? undefined : permissionMode;
  if (leader === 'default' && modeUnderDefault !== undefined && named !== 'plan') return modeUnderDefault;
  const definition = named === undefined ? { source } : { permissionMode: named, source };
  return childMode({
    parent: leader,
    definition,
    isFreeToEdit: false,
    editsAllowed: false,
    bypassAllowed: true,
  });
}
