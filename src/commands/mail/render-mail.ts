import { visible, visibleLine } from '../../lib/text/text.ts';
import type { ListedMail } from '../../team/mail/list-mail.ts';

/** One line about it, then its text, indented. As JSON one line. */
export function renderMail({ message, state }: ListedMail, { json }: { json?: boolean | undefined }): string {
  if (json) return `${JSON.stringify({ ...message, state })}\n`;
  const { sentAt, from, to, kind, id, text, summary } = message;
  const words = [
    sentAt,
    `${from} to ${to}`,
    kind,
    state,
    id,
    ...(summary ? [visibleLine(summary, 100)] : []),
  ];
  const body = visible(text.trimEnd());
  return `${words.join('  ')}\n${body === '' ? '' : `${body.replace(/^/gm, '  ')}\n`}`;
}
