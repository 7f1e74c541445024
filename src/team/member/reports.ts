import type { Problem, Result } from '../../lib/result.ts';
import {
  type AgentEvent,
  leaderName,
  type MailMessage,
  type Outcome,
  textOf,
  toolUses,
} from '../../protocol/index.ts';
import type { MailDraft } from '../mail/post-mail.ts';

export interface ReportParts {
  post(draft: MailDraft): Promise<Result<MailMessage>>;
  /** Marks what looks like instructions. */
  check(text: string): string;
  /** It was not sent. It is sent when the member has something to do again. */
  failed(problem: Problem): void;
}

interface UnsentReport {
  report: Outcome;
  /** The end of the run that it is of. */
  ended: Outcome;
}

/** What the harness reports of a member to its leader, at the end of each run. */
export class Reports {
  /** Answers without a call since the last report. Mail that comes while a member says its last words makes it continue. */
  #said: string[] = [];
  #unsent: UnsentReport[] = [];
  #last: string | undefined;

  constructor(private readonly parts: ReportParts) {}

  /** The mail id of the latest one. */
  get last(): string | undefined {
    return this.#last;
  }

  note(event: AgentEvent): void {
    if (event.type !== 'message_added' || event.record.type !== 'assistant') return;
    const { message } = event.record;
    const text = textOf(message.content).trim();
    if (text !== '' && toolUses(message).length === 0) this.#said.push(text);
  }

  /** A report of an earlier process, which ended before it was sent. */
  owe(report: Outcome): void {
    this.#unsent.push({ report, ended: report });
  }

  /** `sent`: its latest mail to the leader. Where its model sent the same words itself, they are the report. */
  async send(ended: Outcome, sent?: MailMessage): Promise<void> {
    await this.sendOwed(ended);
    const report = this.#takeWords(ended);
    if (report.kind === 'completed' && sent?.text.trim() === report.text.trim()) this.#last = sent.id;
    else await this.#post({ report, ended });
  }

  /** Those that could not be sent before, in their order. What has just failed waits for the next time. */
  async sendOwed(now: Outcome | undefined): Promise<void> {
    const owed = this.#unsent.filter(({ ended }) => ended !== now);
    this.#unsent = this.#unsent.filter(({ ended }) => ended === now);
    for (const one of owed) await this.#post(one);
  }

  #takeWords(ended: Outcome): Outcome {
    const words = this.#said;
    this.#said = [];
    // The outcome of a lead has all its answers already, that of another agent only the last one.
    if (`${ended.text.trim()}\n\n`.startsWith(`${words.join('\n\n')}\n\n`)) return ended;
    if (words.at(-1) === ended.text.trim()) words.pop();
    return words.length === 0 ? ended : { ...ended, text: [...words, ended.text].join('\n\n').trim() };
  }

  async #post(unsent: UnsentReport): Promise<void> {
    const { kind, reason } = unsent.report;
    const posted = await this.parts.post({
      ...{ to: leaderName, kind: 'report', text: this.parts.check(renderReport(unsent.report)) },
      body: { outcome: kind, ...(reason ? { reason } : {}) },
    });
    if (posted.ok) {
      this.#last = posted.value.id;
      return;
    }
    this.#unsent.push(unsent);
    this.parts.failed(posted.problem);
  }
}

/** The report that the harness sends for a member. One that did not finish says so: the leader waits for something. */
function renderReport({ kind, text: whole, reason }: Outcome): string {
  const text = shorten(whole);
  if (kind === 'completed') return text;
  const said = text.trim() === '' ? 'I had said nothing yet.' : `My last words:\n\n${text}`;
  return `I did not finish (${kind}): ${reason ?? 'no reason given'}\n\n${said}`;
}

/** Below what mail may have, with room for what is said around it. */
const maxCharacters = 90_000;

function shorten(text: string): string {
  if (text.length <= maxCharacters) return text;
  const half = maxCharacters / 2;
  const left = text.length - maxCharacters;
  return `${text.slice(0, half)}\n\n[${left} characters are left out here]\n\n${text.slice(-half)}`;
}
