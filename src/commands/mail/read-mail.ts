import { processIo } from '../../headless/process-io.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import { lookAround, type Surroundings } from '../../session/surroundings.ts';
import { hasBox, listBoxes } from '../../team/mail/box-place.ts';
import { type ListedMail, listMail } from '../../team/mail/list-mail.ts';
import { openMailbox } from '../../team/mail/mailbox.ts';
import type { TeamPlace } from '../../team/team-place.ts';
import type { FlagsOf } from '../table/commands.ts';
import { chooseAddress, findTeam } from './find-team.ts';
import { renderMail } from './render-mail.ts';

/** `cadre mail read`: all mail of a team, of one box, or what is new in one's own. */
export async function readMail(
  box: string | undefined,
  flags: FlagsOf<'mail read'>,
): Promise<number | Result<string>> {
  const around = lookAround({});
  const view = chooseBox(around, box, flags);
  if (!view.ok) return view;
  const mail = view.value.isOwn
    ? peek(around, view.value)
    : listMail(view.value.place, around.machine, view.value.box);
  if (!mail.ok) return mail;
  if (!(await processIo().writeOut(mail.value.map((one) => renderMail(one, flags)).join('')))) return 1;
  // Only what was printed counts as read.
  return view.value.isOwn ? noteAll(around, view.value, mail.value) : 0;
}

export interface BoxView {
  place: TeamPlace;
  /** Undefined: all boxes. */
  box: string | undefined;
  /** Reading it is an acknowledgement. A member's box is only looked at. */
  isOwn: boolean;
}

export function chooseBox(
  around: Surroundings,
  box: string | undefined,
  flags: FlagsOf<'mail read'>,
): Result<BoxView> {
  const [name, team = flags.team] = box?.split('@') ?? [];
  const place = findTeam(around, team);
  if (!place.ok) return place;
  const own = chooseAddress(around, flags);
  if (!own.ok) return own;
  const chosen = name ?? (flags.as === undefined ? undefined : own.value);
  const isOwn = chosen === own.value;
  if (chosen !== undefined && !isOwn && !hasBox(place.value, chosen, around.machine))
    return usage(
      `There is no ${chosen} in team ${place.value.name}.`,
      `Boxes are: ${listBoxes(place.value, around.machine).join(', ')}.`,
    );
  return ok({ place: place.value, box: chosen, isOwn });
}

function peek(around: Surroundings, { place, box = 'user' }: BoxView): Result<ListedMail[]> {
  const opened = openMailbox(place, { name: box, check: () => true }, around);
  if (!opened.ok) return opened;
  const mail = [...opened.value.listDelivered(), ...opened.value.look()];
  return ok(mail.map((message) => ({ message, state: 'read' as const })));
}

function noteAll(
  around: Surroundings,
  { place, box = 'user' }: BoxView,
  mail: readonly ListedMail[],
): number | Result<never> {
  const opened = openMailbox(place, { name: box, check: () => true }, around);
  if (!opened.ok) return opened;
  for (const { message } of mail) {
    const noted = opened.value.noteRead(message.id);
    if (!noted.ok) return noted;
  }
  return 0;
}
