import { compareText } from '../../lib/text/compare-text.ts';
import type { MailMessage } from '../../protocol/team.ts';
import { type BoxFiles, type FoundMail, listMailFiles, readMailFile } from './read-box.ts';

/** A message in `new/`, and the name of its file. */
export interface NewMail {
  file: string;
  message: MailMessage;
}

export interface NewFiles {
  mail: NewMail[];
  faults: { file: string; reason: string }[];
}

/** Of one look; the rest comes with the next. */
export const maxLooked = 500;

/**
 * Reads what is in `new/`, in order. A listing is not a moment: of two messages that come while it is made, it may show the second
 * alone. So it is made twice: what came before anything in the first is in one of both. What only the second shows is left for the
 * next look, unless a later message of its sender was in the first.
 */
export function readNewFiles(box: BoxFiles): NewFiles {
  const first = new Set(listMailFiles(box, 'new'));
  if (first.size === 0) return { mail: [], faults: [] };
  const files = [...new Set([...first, ...listMailFiles(box, 'new')])].sort().slice(0, maxLooked);
  const found: NewFiles = { mail: [], faults: [] };
  for (const file of files) {
    const read = readMailFile(box, 'new', file);
    if (read === 'later') break;
    addFound(found, file, read);
  }
  const newest = new Map<string, number>();
  for (const { file, message } of found.mail)
    if (first.has(file)) newest.set(message.from, Math.max(message.order, newest.get(message.from) ?? 0));
  const isInOrder = ({ file, message }: NewMail) =>
    first.has(file) || message.order < (newest.get(message.from) ?? -1);
  return { mail: arrange(found.mail.filter(isInOrder)), faults: found.faults };
}

function addFound(found: NewFiles, file: string, read: Exclude<FoundMail, 'later'>): void {
  if (read === 'gone') return;
  if (read.ok) found.mail.push({ file, message: read.value });
  else found.faults.push({ file, reason: read.problem });
}

/** By the time that they were sent at, each sender's own in its order, whatever its clock did. */
function arrange(mail: readonly NewMail[]): NewMail[] {
  const bySender = new Map<string, NewMail[]>();
  for (const one of mail) {
    const own = bySender.get(one.message.from) ?? [];
    bySender.set(one.message.from, own);
    own.push(one);
  }
  for (const own of bySender.values()) own.sort((one, other) => one.message.order - other.message.order);
  const next = new Map([...bySender].map(([from, own]) => [from, own.values()]));
  return mail
    .toSorted((one, other) => compareText(one.message.sentAt, other.message.sentAt))
    .flatMap(({ message }) => next.get(message.from)?.next().value ?? []);
}
