import type { WaitingQuestion } from '../permissions/approval-hub.ts';
import type { Answer, Question } from '../protocol/index.ts';
import type { Session } from '../session/session.ts';
import { askChoices } from './ask-choices.ts';
import type { LineTerminal, Typed } from './io.ts';
import { readWhole } from './read-whole.ts';
import { help, showChoices, showQuestion } from './show-question.ts';

/** Puts the session's questions to the person at the terminal, one after another, and returns the answers. */
export class TerminalQuestions {
  #running: Promise<void> | undefined;
  readonly #stop: () => void;

  constructor(
    private readonly session: Session,
    private readonly terminal: LineTerminal,
    /** The person pressed the interrupt key, which sends no signal while a line is read. */
    private readonly interrupt: () => void,
  ) {
    this.#stop = session.approvals.subscribe(() => this.#wake());
  }

  async stop(): Promise<void> {
    this.#stop();
    await this.#running;
  }

  #waiting(): WaitingQuestion[] {
    return this.session.approvals.waiting().filter(({ question }) => question.sessionId === this.session.id);
  }

  #wake(): void {
    this.#running ??= this.#askAll().finally(() => {
      this.#running = undefined;
      if (this.#waiting().length > 0) this.#wake();
    });
  }

  async #askAll(): Promise<void> {
    for (let [next, ...others] = this.#waiting(); next; [next, ...others] = this.#waiting()) {
      const { question } = next;
      const controller = new AbortController();
      const unsubscribe = this.session.approvals.subscribe((waiting) => {
        if (!waiting.some((entry) => entry.question.id === question.id)) controller.abort();
      });
      const answer = await this.#ask(next, others.length, controller.signal);
      unsubscribe();
      if (answer) this.session.send({ type: 'answer', questionId: question.id, answer, by: 'person' });
      else if (controller.signal.aborted) this.terminal.show('\n(no longer asked)\n');
      else this.interrupt();
    }
  }

  /** Undefined when the question was settled otherwise, or the person interrupted. */
  async #ask(entry: WaitingQuestion, others: number, signal: AbortSignal): Promise<Answer | undefined> {
    const { question } = entry;
    if (question.toolName === 'AskUserQuestion') return askChoices(this.terminal, question, signal);
    const text = showQuestion(entry, others, this.terminal.columns());
    const reading = await readWhole(this.terminal, text, signal);
    if (reading.kind === 'ended') return this.#end(readAnswer(reading.typed, question), signal);
    let prompt = `${reading.page}${showChoices(question)}`;
    for (let fresh = true; ; fresh = false) {
      const typed = await this.terminal.readLine(prompt, { fresh, signal });
      const read = readAnswer(typed, question);
      if (read !== 'help' && read !== 'unclear') return this.#end(read, signal);
      prompt = read === 'help' ? `${help}${showChoices(question)}` : showChoices(question);
    }
  }

  async #end(read: Read, signal: AbortSignal): Promise<Answer | undefined> {
    if (read === 'deny') return this.#deny(signal);
    return typeof read === 'string' ? undefined : read;
  }

  async #deny(signal: AbortSignal): Promise<Answer | undefined> {
    const typed = await this.terminal.readLine('why (optional): ', { fresh: false, signal });
    if (typed.kind === 'interrupt' || typed.kind === 'gone') return undefined;
    return denied(typed.kind === 'line' ? typed.text : '');
  }
}

type Read = Answer | 'help' | 'unclear' | 'deny' | 'interrupted';

function readAnswer(typed: Typed, { suggestions }: Question): Read {
  if (typed.kind === 'end') return denied('');
  if (typed.kind !== 'line') return 'interrupted';
  const [word = '', ...rest] = typed.text.trim().split(/\s+/);
  const key = word.toLowerCase();
  if (key === 'y' || key === 'yes') return { behaviour: 'allow', scope: 'once' };
  if (key === 'n' || key === 'no') return rest.length > 0 ? denied(rest.join(' ')) : 'deny';
  if (key === '?') return 'help';
  if (suggestions.length === 0) return 'unclear';
  if (key === 'a') return { behaviour: 'allow', scope: 'agent', rules: suggestions };
  if (key === 's') return { behaviour: 'allow', scope: 'session', rules: suggestions };
  if (key === 'r') return { behaviour: 'allow', scope: 'saved', destination: 'local', rules: suggestions };
  if (key === 'u') return { behaviour: 'allow', scope: 'saved', destination: 'user', rules: suggestions };
  return 'unclear';
}

function denied(reason: string): Answer {
  const text = reason.trim();
  return { behaviour: 'deny', message: text === '' ? 'The user said no.' : `The user said no: ${text}` };
}
