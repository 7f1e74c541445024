import { watchDirectory } from '../../lib/files/watch-directory.ts';
import { sayProblem } from '../../lib/result.ts';
import type { MailMessage, MemberRecord } from '../../protocol/index.ts';
import { listMail } from '../../team/mail/list-mail.ts';
import { watchBox } from '../../team/mail/watch-box.ts';
import { composeLetter } from '../../team/member/letters.ts';
import type { SessionCrew } from './crew.ts';
import { wakeMember } from './send-mail.ts';

/**
 * Mail that other processes write to members that do not run: it resumes its receiver, as a message from this process does. Only its leader
 * can do that. Until the returned function is called.
 */
export function followWaitingMail(crew: SessionCrew): () => void {
  const { kernel, office } = crew;
  const boxes = new Map<string, () => void>();
  /** Messages that no longer resume anybody: sent from here, which does that by itself, or tried before. */
  const seen = new Set<string>();
  const open = (name: string) => {
    const { clock, machine } = kernel.place;
    const box = { place: office.place, owner: name, key: '', machine };
    const resume = () => resumeReader(crew, name, seen);
    boxes.set(name, watchBox(box, { clock, watch: watchDirectory, listener: resume }));
  };
  const look = () => {
    for (const { name, kind } of office.members.list()) {
      const isAway = (kind === 'pane' || kind === 'in-process') && !office.members.isAlive(name);
      if (isAway && !boxes.has(name)) open(name);
      if (isAway) continue;
      boxes.get(name)?.();
      boxes.delete(name);
    }
  };
  const forget = kernel.events.listen((event) => {
    if (event.type === 'team_changed') look();
    if (event.type === 'mail_moved' && event.state === 'written' && boxes.has(event.mail.to))
      seen.add(event.mail.id);
  });
  look();
  return () => {
    forget();
    for (const close of boxes.values()) close();
  };
}

/** Each message tries it once, so one that ends its reader every time does not go round in circles. */
function resumeReader(crew: SessionCrew, name: string, seen: Set<string>): void {
  const { kernel, office } = crew;
  const member = office.members.read(name);
  const listed = listMail(office.place, kernel.place.machine, name);
  if (!member || !listed.ok || office.members.isAlive(name)) return;
  const news = listed.value.flatMap(({ message, state }) =>
    state === 'written' && !seen.has(message.id) && isForReader(message, member) ? [message] : [],
  );
  for (const { id } of news) seen.add(id);
  const isUser = news.some(({ from }) => from === 'user');
  // A member that the user stopped stays so: then the message waits.
  if (news.length > 0) void wake(crew, member, isUser);
}

/** Nobody waits for the answer: that mail stays unread is told. */
async function wake(crew: SessionCrew, member: MemberRecord, isUser: boolean): Promise<void> {
  const woken = await wakeMember(crew, member, { message: '', ...(isUser ? { isUser } : {}) });
  if (!woken.ok) crew.warn(`Mail waits for ${member.name}. ${sayProblem(woken.problem)}`);
}

/** Not what came while it shut down, nor what is no reason to run: a broadcast, an idle notice, a word of thanks. */
function isForReader(mail: MailMessage, { state, stateSince }: MemberRecord): boolean {
  const { kind, sentAt } = mail;
  if (state === 'ended' && sentAt <= stateSince) return false;
  return (kind === 'text' || kind === 'task_assignment') && composeLetter(mail).isQuiet !== true;
}
