import type { Clock } from '../../lib/clock.ts';
import type { Result } from '../../lib/result.ts';
import type { MailKind, MailMessage } from '../../protocol/index.ts';
import type { MailDraft } from '../mail/post-mail.ts';

/** A request to the leader, and what its answer is expected as. */
export interface Request {
  draft: MailDraft;
  answer: MailKind;
  /** Unanswered for so long, it has failed. */
  patienceMs: number;
  signal: AbortSignal;
}

export type RequestEnd = { mail: MailMessage } | { problem: string };

/** Requests by mail that wait for an answer by mail. Only the leader answers, and only to this incarnation. */
export class Requests {
  readonly #waiting = new Map<string, { kind: MailKind; answer(end: RequestEnd): void }>();

  constructor(
    private readonly clock: Clock,
    private readonly post: (draft: MailDraft) => Promise<Result<MailMessage>>,
  ) {}

  async ask({ draft, answer: kind, patienceMs, signal }: Request): Promise<RequestEnd> {
    const posted = await this.post(draft);
    if (!posted.ok) return { problem: posted.problem.message };
    const { id } = posted.value;
    const { promise, resolve } = Promise.withResolvers<RequestEnd>();
    this.#waiting.set(id, { kind, answer: resolve });
    const cancel = this.clock.after(patienceMs, () =>
      resolve({ problem: 'its leader did not answer in time' }),
    );
    const stop = () => resolve({ problem: 'it was stopped' });
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const end = await promise;
    cancel();
    signal.removeEventListener('abort', stop);
    this.#waiting.delete(id);
    if ('problem' in end) void this.post(composeWithdrawal(draft, kind, id));
    return end;
  }

  /** True if this was the answer to one of them. A late or unknown answer has no effect. */
  take(mail: MailMessage): boolean {
    const id = mail.inReplyTo;
    const waiting = id === undefined ? undefined : this.#waiting.get(id);
    if (!waiting || waiting.kind !== mail.kind) return false;
    waiting.answer({ mail });
    return true;
  }

  get isWaiting(): boolean {
    return this.#waiting.size > 0;
  }
}

/** The leader would keep asking the user a question that is already over. */
function composeWithdrawal({ to, toIncarnation }: MailDraft, kind: MailKind, inReplyTo: string): MailDraft {
  const draft = { to, kind, text: 'It no longer waits for an answer.', inReplyTo, body: { withdrawn: true } };
  return toIncarnation === undefined ? draft : { ...draft, toIncarnation };
}
