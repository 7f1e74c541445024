import { text as readText } from 'node:stream/consumers';
import { processIo } from '../../headless/process-io.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import type { MailMessage } from '../../protocol/team.ts';
import { lookAround, type Surroundings } from '../../session/surroundings.ts';
import { makeBox } from '../../team/mail/box-place.ts';
import { type MailDraft, openPost, type Post } from '../../team/mail/post-mail.ts';
import { type MailSender, unclaimedSender } from '../../team/mail/senders.ts';
import { openMembers } from '../../team/members.ts';
import { isProgramAddress } from '../../team/names.ts';
import type { TeamPlace } from '../../team/team-place.ts';
import type { FlagsOf } from '../table/commands.ts';
import { chooseAddress, findTeam } from './find-team.ts';
import { renderMail } from './render-mail.ts';

/** `cadre mail send`: a message of the user or of a program. It is on disk when the command ends. */
export async function sendMail(
  to: string,
  words: string[],
  flags: FlagsOf<'mail send'>,
): Promise<Result<string>> {
  const io = processIo();
  const around = lookAround({});
  const given = words.length > 0 || io.inputKind === 'terminal' ? words.join(' ') : await readText(io.input);
  const sent = send(around, to, given, flags);
  if (!sent.ok) return sent;
  const lines = sent.value.map((message) =>
    flags.json ? renderMail({ message, state: 'written' }, flags) : `${message.id} sent to ${message.to}\n`,
  );
  return ok(lines.join(''));
}

function send(
  around: Surroundings,
  address: string,
  text: string,
  flags: FlagsOf<'mail send'>,
): Result<MailMessage[]> {
  if (text.trim() === '')
    return usage('There is nothing to send.', 'Give the text as arguments or on stdin.');
  const [to = '', team = flags.team] = address.split('@');
  const place = findTeam(around, team);
  if (!place.ok) return place;
  const from = chooseAddress(around, flags);
  if (!from.ok) return from;
  const post = openPost(place.value, around);
  if (!post.ok) return post;
  // For the answers.
  const box = makeBox(place.value, from.value, around.machine);
  if (!box.ok) return box;
  const draft = {
    ...{ text, summary: flags.summary, inReplyTo: flags.replyTo },
    ...(flags.awaitAnswer ? { awaitsAnswer: true } : {}),
  };
  return sendToAll(
    post.value,
    unclaimedSender(from.value, around.clock),
    listReceivers(place.value, around, to).map((one) => ({
      ...draft,
      to: one,
      kind: to === '*' ? 'broadcast' : 'text',
    })),
  );
}

/** Nobody hears what could not be sent to the first. */
function sendToAll(post: Post, sender: MailSender, drafts: readonly MailDraft[]): Result<MailMessage[]> {
  if (drafts.length === 0) return usage('The team has no members.');
  const sent: MailMessage[] = [];
  for (const draft of drafts) {
    const one = post.sendNow(draft, sender);
    if (!one.ok) return one;
    sent.push(one.value);
  }
  return ok(sent);
}

function listReceivers(place: TeamPlace, { machine, clock }: Surroundings, to: string): string[] {
  if (to !== '*') return [isProgramAddress(to) ? to : to.replace(/^main$/, 'team-lead')];
  const members = openMembers(place, machine, clock).list();
  return members.filter(({ state }) => state !== 'ended').map(({ name }) => name);
}
