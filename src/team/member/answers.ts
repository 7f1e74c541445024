import { isRecord } from '../../lib/fields/field-values.ts';
import { type Answer, leaderName, type MailMessage, type Question } from '../../protocol/index.ts';
import type { Request, RequestEnd } from './requests.ts';

const planPatienceMs = 10 * 60 * 1000;

/** A member's plan, for the leader's decision. Unanswered, it is rejected. */
export function composePlanRequest(
  { plan, planFilePath }: { plan: string; planFilePath: string },
  signal: AbortSignal,
): Request {
  return {
    draft: {
      ...{ to: leaderName, kind: 'plan_approval_request', text: plan },
      ...{ body: { plan_file: planFilePath }, awaitsAnswer: true },
    },
    ...{ answer: 'plan_approval_response', patienceMs: planPatienceMs, signal },
  };
}

/** The leader's decision on a plan. Anything that is not a clear yes is a no. */
export function readPlanAnswer(end: RequestEnd): Answer {
  if ('problem' in end) return { behaviour: 'deny', message: end.problem };
  const { approve, feedback } = end.mail.body ?? {};
  if (approve === true) return { behaviour: 'allow' };
  const said = typeof feedback === 'string' ? feedback : '';
  return { behaviour: 'deny', message: said || 'the leader rejected the plan' };
}

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
