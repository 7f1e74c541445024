import type { Clock } from '../../lib/clock.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import { leaderName, type MailMessage } from '../../protocol/index.ts';
import type { MailDraft } from '../mail/post-mail.ts';

export type ShutdownEnd =
  /** The leader asked, and it did not object. */
  | { how: 'agreed' }
  /** The leader asked, and it did not end in time. */
  | { how: 'forced' };

export interface ShutdownParts {
  name: string;
  clock: Clock;
  /** How long it may take. */
  seconds: number;
  post(draft: MailDraft): Promise<Result<MailMessage>>;
  findLeader(): string | undefined;
  stop(reason: string): void;
}

/** A request to shut down, from the leader's mail to the member's end. Silence is consent; prose is no answer. */
export class Shutdown {
  #request: { mail: MailMessage; cancel(): void } | undefined;
  #end: ShutdownEnd | undefined;

  constructor(private readonly parts: ShutdownParts) {}

  get isAsked(): boolean {
    return this.#request !== undefined;
  }

  /** How it ended, if it ended by a request. */
  get end(): ShutdownEnd | undefined {
    return this.#end;
  }

  /** False if one is open already. */
  take(mail: MailMessage): boolean {
    if (this.#request) return false;
    const { clock, seconds } = this.parts;
    this.#request = { mail, cancel: clock.after(seconds * 1000, () => this.force()) };
    return true;
  }

  cancel(): void {
    this.#request?.cancel();
  }

  async agree(): Promise<void> {
    const request = this.#request;
    this.#end ??= { how: 'agreed' };
    request?.cancel();
    if (request) await this.#respond(request.mail, { approve: true }, `${this.parts.name} has shut down.`);
  }

  async answer(message: Readonly<Record<string, unknown>>): Promise<Result<string>> {
    const id = message.request_id ?? message.requestId;
    const approve = message.approve ?? message.approved;
    const request = this.#request;
    if (!request || (id !== undefined && id !== request.mail.id))
      return usage('No request to shut down with this request_id is open.');
    if (typeof approve !== 'boolean') return usage('approve: expected true or false.');
    if (approve) return ok('You end when you have nothing left to do.');
    const reason = typeof message.reason === 'string' ? message.reason.trim() : '';
    if (reason === '') return usage('reason: expected why you object.');
    request.cancel();
    this.#request = undefined;
    const text = `I object to shutting down: ${reason}`;
    const answered = await this.#respond(request.mail, { approve: false, reason }, text);
    return answered.ok ? ok('Your leader hears of your objection. Go on.') : answered;
  }

  /** Ends it now, whatever it does. */
  force(): void {
    const { name, seconds } = this.parts;
    const request = this.#request;
    this.#end = { how: 'forced' };
    request?.cancel();
    const text = `${name} did not end within ${seconds} s and was stopped. What it was doing is cut off.`;
    const stop = () => this.parts.stop('it did not shut down in time');
    // Told first: without its address it could not send anything.
    if (request) void this.#respond(request.mail, { approve: true, forced: true }, text).then(stop);
    else stop();
  }

  #respond(request: MailMessage, body: Record<string, unknown>, text: string): Promise<Result<MailMessage>> {
    const toIncarnation = this.parts.findLeader() ?? request.fromIncarnation ?? '';
    return this.parts.post({
      ...{ to: leaderName, toIncarnation, kind: 'shutdown_response', text, inReplyTo: request.id },
      body: { ...body, request_id: request.id },
    });
  }
}
