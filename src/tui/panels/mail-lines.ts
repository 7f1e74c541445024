import { formatTime } from '../../lib/text/duration.ts';
import type { MailKind } from '../../protocol/index.ts';
import type { ShownMail, ShownTeam } from '../../view/index.ts';
import type { Drawing } from '../drawing.ts';
import { hang, styled } from '../screen/layout.ts';
import { paintName } from '../screen/team-lines.ts';
import { showControls, showLine, truncate, wrap } from '../text/index.ts';

/** More of one message is in its file and in `cadre mail read`. */
const maxLines = 12;

/** The end of the conversation, or `up` lines before it. `above`: how many messages are not in sight. */
export function mailLines(
  team: ShownTeam,
  room: number,
  up: number,
  drawing: Drawing,
): { lines: string[]; above: number } {
  const { mail, mailLeft } = team;
  if (mail.length === 0) return { lines: [styled(drawing, 'dim', 'No mail yet.')], above: mailLeft };
  // From the end: a long conversation is drawn only as far as it is seen.
  const drawn: string[][] = [];
  let count = 0;
  let at = mail.length;
  while (at > 0 && count < room + up) {
    const one = mail[--at];
    if (!one) break;
    const lines = messageLines(one, team, drawing);
    drawn.unshift(lines);
    count += lines.length;
  }
  const all = drawn.flat();
  const end = Math.max(Math.min(all.length, room), all.length - up);
  return { lines: all.slice(Math.max(0, end - room), end), above: mailLeft + at };
}

/** Time, from whom to whom, what it is about, and below that the text. */
function messageLines(mail: ShownMail, team: ShownTeam, drawing: Drawing): string[] {
  const time = formatTime(mail.at, drawing.now);
  const indent = ' '.repeat(drawing.plain ? 0 : time.length + 2);
  const inner = { ...drawing, width: Math.max(10, drawing.width - indent.length) };
  const when = styled(drawing, 'dim', `${time}  `);
  const state = describeState(mail);
  if (mail.kind === 'idle') return hang(renderNotice(mail.text, inner), when, indent);
  const what = [kindWords[mail.kind], showLine(mail.summary, 120)].filter(Boolean).join(': ');
  const about = [what, state].filter(Boolean).join(' · ');
  const head = `${when}${nameAll(mail, team, drawing)}${styled(drawing, 'dim', about === '' ? '' : ` · ${about}`)}`;
  const text = showControls(mail.text, 'prose').trimEnd();
  const body = text === '' ? [] : wrap(text, inner.width);
  const more = body.length - maxLines;
  return [
    truncate(head, drawing.width),
    ...body.slice(0, maxLines).map((line) => indent + line),
    ...(more > 0 ? [styled(drawing, 'dim', `${indent}… ${more} more lines`)] : []),
  ];
}

function renderNotice(text: string, drawing: Drawing): string[] {
  return wrap(showLine(text, 600), drawing.width).map((line) => styled(drawing, 'dim', line));
}

function nameAll({ from, to, kind }: ShownMail, { members }: ShownTeam, drawing: Drawing): string {
  const name = (one: string) =>
    paintName(one, members.find((member) => member.name === one)?.colour ?? '', drawing);
  const own = (one: string) =>
    members.some((member) => member.name === one) ? name(one) : showLine(one, 40);
  const arrow = drawing.plain ? ' to ' : ' → ';
  if (kind === 'broadcast' && to.length > 3) return `${own(from)}${arrow}all (${to.length})`;
  return `${own(from)}${arrow}${to.map((one) => own(one.name)).join(', ')}`;
}

/** Read mail needs no word. */
function describeState({ to }: ShownMail): string {
  const unread = to.filter(({ state }) => state === 'written' || state === 'delivered');
  const isVoid = to.some(({ state }) => state === 'void' || state === 'quarantined');
  if (isVoid) return 'void';
  if (unread.length === 0) return '';
  return to.length === 1
    ? 'not read yet'
    : `not read yet by ${unread.map(({ name }) => showLine(name, 24)).join(', ')}`;
}

const kindWords: Readonly<Record<MailKind, string>> = {
  text: '',
  broadcast: 'broadcast',
  report: 'report',
  idle: '',
  shutdown_request: 'asks to shut down',
  shutdown_response: 'answers the shutdown',
  plan_approval_request: 'asks to approve its plan',
  plan_approval_response: 'decides on the plan',
  permission_request: 'asks for permission',
  permission_response: 'decides on the permission',
  task_assignment: 'assigns an item',
};
