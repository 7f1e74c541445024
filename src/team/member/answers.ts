import { isRecord } from '../../lib/fields/field-values.ts';
import type { Answer, MailMessage, Question } from '../../protocol/index.ts';

/** The answer in a `permission_response`. Anything that is not a clear yes is a no. */
export function readAnswer({ body, text }: MailMessage): Answer {
  const found = body?.answer;
  if (!isRecord(found) || found.behaviour !== 'allow') {
    const message = isRecord(found) && typeof found.message === 'string' ? found.message : text;
    return { behaviour: 'deny', message: message || 'denied in the session of the leader' };
  }
  const scope = found.scope === 'session' ? ('session' as const) : ('once' as const);
  return { behaviour: 'allow', scope, ...(isRecord(found.input) ? { input: found.input } : {}) };
}

/** The question in a `permission_request`, with the badge of who sent it; undefined if it is not one. */
export function readQuestion({ body, from, team }: MailMessage): Question | undefined {
  const found = body?.question;
  if (!isRecord(found) || typeof found.id !== 'string' || typeof found.toolName !== 'string')
    return undefined;
  if (!isRecord(found.input) || !isRecord(found.decision) || !isRecord(found.risk)) return undefined;
  const question = found as unknown as Question;
  const asker = isRecord(found.asker) ? question.asker : { type: 'lead' };
  return { ...question, asker: { ...asker, member: `${from}@${team}` }, suggestions: [] };
}
