import { ok, type Result, usage } from '../../lib/result.ts';
import { lookAround, type Surroundings } from '../../session/surroundings.ts';
import { listBoxes } from '../../team/mail/box-place.ts';
import { countMail } from '../../team/mail/list-mail.ts';
import { openMailbox } from '../../team/mail/mailbox.ts';
import type { TeamPlace } from '../../team/team-place.ts';
import type { FlagsOf } from '../table/commands.ts';
import { findTeam } from './find-team.ts';

/** `cadre mail status`: how far a message came, or what is in each box. */
export async function printMailStatus(
  id: string | undefined,
  flags: FlagsOf<'mail status'>,
): Promise<Result<string>> {
  const around = lookAround({});
  const place = findTeam(around, flags.team);
  if (!place.ok) return place;
  return id === undefined
    ? ok(describeBoxes(place.value, around, flags))
    : describeMessage(place.value, around, id, flags);
}

function describeMessage(
  place: TeamPlace,
  around: Surroundings,
  id: string,
  { json }: FlagsOf<'mail status'>,
): Result<string> {
  for (const box of listBoxes(place, around.machine)) {
    const opened = openMailbox(place, { name: box, check: () => true }, around);
    if (!opened.ok) return opened;
    const state = opened.value.state(id);
    if (state)
      return ok(json ? `${JSON.stringify({ id, box, state })}\n` : `${state}  in the box of ${box}\n`);
  }
  return usage(`There is no message ${id} in team ${place.name}.`, 'Mail that was read long ago is removed.');
}

function describeBoxes(
  place: TeamPlace,
  { machine }: Surroundings,
  { json }: FlagsOf<'mail status'>,
): string {
  return listBoxes(place, machine)
    .map((box) => {
      const counts = countMail(place, box, machine);
      if (json) return `${JSON.stringify({ box, ...counts })}\n`;
      const words = Object.entries(counts).map(([state, count]) => `${count} ${state}`);
      return `${box}  ${words.join(', ')}\n`;
    })
    .join('');
}
