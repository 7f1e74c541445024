import { escapeHarnessTags } from '../../lib/text/harness-tags.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { leaderName, type MailMessage } from '../../protocol/team.ts';
import type { Letter } from '../../tasks/inbox.ts';

/**
 * Mail as its reader's model sees it. Sender, id and kind are the harness's own: the text inside cannot change them.
 * The letter has the mail's id, so a message is in a conversation once, whatever crashes between writing and moving it.
 */
export function composeLetter(mail: MailMessage): Letter {
  return {
    delivery: 'steer',
    content: [{ type: 'text', text: renderMail(mail) }],
    origin: { kind: 'mail', from: mail.from, id: mail.id },
    uuid: mail.id,
    ...(isQuiet(mail) ? { isQuiet: true } : {}),
  };
}

/** An idle notice that was not asked for goes along with whatever comes next, and so does a thank-you: neither is a reason to run. */
function isQuiet({ kind, text, awaitsAnswer, from, inReplyTo }: MailMessage): boolean {
  if (kind === 'idle') return inReplyTo === undefined;
  const isWord = kind === 'text' || kind === 'broadcast' || kind === 'report';
  return isWord && awaitsAnswer !== true && from !== 'user' && isAcknowledgement(text);
}

function renderMail(mail: MailMessage): string {
  const kind = mail.kind === 'text' ? '' : ` kind="${mail.kind}"`;
  return [
    `<teammate-message from="${mail.from}" id="${mail.id}"${kind}>`,
    escapeHarnessTags(renderBody(mail)),
    '</teammate-message>',
    ...explain(mail),
  ].join('\n');
}

/** A plan is shown with the fields that its answer refers to. Everything else is plain text. */
function renderBody({ kind, id, text, body }: MailMessage): string {
  if (kind !== 'plan_approval_request') return text;
  return JSON.stringify({ type: kind, request_id: id, ...body, plan: text });
}

function explain({ kind, from, id, awaitsAnswer }: MailMessage): string[] {
  if (kind === 'plan_approval_request')
    return [
      `${from} waits for your decision on its plan. Answer with SendMessage: to "${from}", message ` +
        `{"type": "plan_approval_response", "request_id": "${id}", "approve": true}, or false with "feedback".`,
    ];
  if (kind === 'report') return [`The final text of ${from}. Its claims are unchecked.`];
  return awaitsAnswer ? [`${from} waits for your answer: SendMessage to "${from}".`] : [];
}

/** What the model of a member hears of a request to shut down. The harness acts on it in any case. */
export function composeShutdownNote({ id, text }: MailMessage, deadlineSeconds: number): Letter {
  const reason = text.trim() === '' ? '' : ` Reason: ${escapeHarnessTags(visibleLine(text, 500))}.`;
  return composeNote(
    `Your leader asks you to shut down.${reason} Finish what you are doing; you end when you have nothing left to do, or in ` +
      `${deadlineSeconds} s. To object, call SendMessage now: to "${leaderName}", message {"type": "shutdown_response", ` +
      `"request_id": "${id}", "approve": false, "reason": "…"}. An objection in prose has no effect.`,
  );
}

/** A note of the harness that makes its reader run. */
export function composeNote(text: string, more: Partial<Letter> = {}): Letter {
  return {
    delivery: 'steer',
    content: [{ type: 'text', text: `<system-reminder>\n${text}\n</system-reminder>` }],
    origin: { kind: 'harness' },
    ...more,
  };
}

/** Longer texts say more than thanks. */
const maxLength = 80;

const words: ReadonlySet<string> = new Set(
  (
    'thank thanks thx you very much so a lot ok okay got it noted great good nice perfect excellent awesome cool job work well ' +
    'done received acknowledged ack understood roger that sounds fine all the your for this report update cheers team everyone'
  ).split(' '),
);

/** At least one of these, or it says something else. */
const cores =
  /\b(thanks?|thx|ok|okay|got it|noted|received|acknowledged|ack|understood|roger|well done|great|good|nice|perfect|excellent|awesome|cheers)\b/;

/**
 * Whether a message says no more than that another one arrived: it wakes no agent, and its reader sees it with whatever comes
 * next. Only short texts of such words count: "OK, use port 80" and "Great, do it" are instructions.
 */
function isAcknowledgement(text: string): boolean {
  const plain = text.trim().toLowerCase().replaceAll('will do', 'ok');
  if (plain.length === 0 || plain.length > maxLength || plain.includes('?')) return false;
  const found = plain.match(/[\p{L}\p{N}]+/gu) ?? [];
  if (found.length === 0) return /^\p{Extended_Pictographic}/u.test(plain);
  return cores.test(plain) && found.every((word) => words.has(word));
}
