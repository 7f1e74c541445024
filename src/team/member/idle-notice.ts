import { visibleLine } from '../../lib/text/text.ts';
import type { MailMessage } from '../../protocol/index.ts';

export interface IdleFacts {
  name: string;
  /** Why it is idle, if not because it has finished. */
  reason: string | undefined;
  /** The mail id of its report. */
  report: string | undefined;
  /** Its own background work that still runs. */
  background: string[];
  /** Board items that it has claimed and not completed. */
  items: string[];
  /** Mail that it has not answered. */
  owed: MailMessage[];
}

/** The notice that a member has become idle: why, what it reported, what still runs, when it wakes and what it owes. */
export function renderIdle({
  name,
  reason,
  report,
  background,
  items,
  owed,
}: IdleFacts): Pick<MailMessage, 'text' | 'body'> {
  const owes = [
    ...items.map((id) => `item ${id}`),
    ...owed.map(({ from, id }) => `an answer to ${from} (mail ${id})`),
  ];
  const running = background.slice(0, 5).map((one) => visibleLine(one, 100));
  const parts = [
    `${name} is idle: ${(reason ?? 'it has nothing left to do').replace(/\.$/, '')}.`,
    ...(report ? [`Its report is mail ${report}.`] : []),
    running.length > 0
      ? `Its background work still runs and wakes it when it ends: ${running.join('; ')}.`
      : 'Mail wakes it.',
    ...(owes.length > 0 ? [`It still owes: ${owes.join(', ')}.`] : []),
  ];
  return {
    text: parts.join(' '),
    body: {
      reason: reason ?? 'finished',
      ...(report ? { report } : {}),
      background: running,
      wakes: running.length > 0 ? ['mail', 'background work'] : ['mail'],
      owes,
    },
  };
}
