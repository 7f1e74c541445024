import type { Problem } from '../../lib/result.ts';
import type { MemberRecord } from '../../protocol/index.ts';
import type { SessionCrew } from './crew.ts';
import type { SessionPanes } from './panes.ts';
import { resumeTeammate } from './teammates.ts';

/** The members of an earlier process of this leader: panes that live are kept, teammates of that process continue here. */
export async function resumeMembers(
  crew: SessionCrew,
  panes: SessionPanes,
  tellLost: (name: string, reason: string) => void,
): Promise<void> {
  await reconcilePanes(crew, panes, tellLost);
  const lead = crew.agents.roster.find(null);
  if (!lead) return;
  for (const member of crew.office.members.list().filter((one) => isOurs(one, crew))) {
    const resumed = await resumeTeammate(crew, lead, member);
    if (resumed.ok) crew.teammates.set(member.name, resumed.value.teammate);
    else giveUp(crew, member.name, resumed.problem);
  }
  crew.changed();
}

/** A pane that is gone is told: its member was interrupted. */
async function reconcilePanes(
  { office }: SessionCrew,
  panes: SessionPanes,
  tellLost: (name: string, reason: string) => void,
): Promise<void> {
  const waiting = office.members.list().filter(({ kind, wanted }) => kind === 'pane' && wanted === 'running');
  if (waiting.length === 0) return;
  for (const name of await panes.reconcile()) tellLost(name, 'it was interrupted, and its pane is gone');
}

/** Its leader would wait for it. Where the machine lacked something, it is tried again with the next start. */
function giveUp(crew: SessionCrew, name: string, { message, passing }: Problem): void {
  if (!passing) crew.office.members.want(name, 'ended');
  const next = passing ? `SendMessage to ${name} resumes it.` : 'Start another if its work is still needed.';
  crew.tellLeader(`The teammate ${name} was interrupted and not resumed: ${message} ${next}`);
}

function isOurs({ kind, wanted, state, sessionId }: MemberRecord, { agents }: SessionCrew): boolean {
  return kind === 'in-process' && wanted === 'running' && state !== 'ended' && sessionId === agents.sessionId;
}
