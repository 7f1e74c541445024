import type { Clock } from '../../lib/clock.ts';
import type { MemberRecord } from '../../protocol/index.ts';
import type { TeamOffice } from '../../team/office.ts';
import { watchFiles } from '../../team/watch-files.ts';

/** Why a member in a pane has ended, if neither its leader asked for it nor its process died. */
export const closedReason = 'its session was closed';

/** Tells when members that run in other processes have changed what they say of themselves, or died. */
export function watchOtherMembers(
  office: TeamOffice,
  clock: Clock,
  changed: (members: readonly MemberRecord[]) => void,
): () => void {
  let last = '';
  return watchFiles(office.place.members, clock, () => {
    const others = office.members.list().filter(({ name }) => office.find(name) === undefined);
    const now = JSON.stringify(others.map(({ heartbeatAt: _, ...said }) => said));
    if (now === last) return;
    last = now;
    changed(others);
  });
}
