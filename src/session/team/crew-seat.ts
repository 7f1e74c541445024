import { keepDefined } from '../../lib/fields/keep-defined.ts';
import { leaderName, type MemberRecord } from '../../protocol/index.ts';

/** The place in a team that a session's own lead takes. */
export interface CrewSeat {
  readonly name: string;
  readonly kind: 'lead' | 'pane' | 'session';
  /** A member's session ends with its part in the team. */
  endSession(reason: string): void;
}

/** What a member's record says of it from the start. One in a pane keeps what its leader wrote when it opened the pane. */
export function listSeatFacts(
  { name, kind }: Pick<CrewSeat, 'name' | 'kind'>,
  members: { read(name: string): MemberRecord | undefined },
): Partial<Pick<MemberRecord, 'agentType' | 'model' | 'description'>> {
  if (kind === 'lead') return { agentType: leaderName };
  const { agentType, model, description } = (kind === 'pane' && members.read(name)) || {};
  return keepDefined({ agentType, model, description });
}
