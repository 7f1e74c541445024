import type { ShownQuestion, View } from '../view/index.ts';
import type { Terminal } from './terminal.ts';
import { showLine } from './text/index.ts';

/** How to notify a user who is looking elsewhere. */
export type NotifyHow = 'bell' | 'osc9' | 'off';

const longEnoughMs = 20_000;

/** Notifies the user when a question waits, and when something long has ended. */
export class Notifier {
  constructor(
    private readonly terminal: Terminal,
    private readonly how: NotifyHow,
  ) {}

  question({ question }: ShownQuestion): void {
    this.#call(`${question.asker.type} asks: ${question.summary}`);
  }

  changed(before: View, after: View): void {
    const { runStartedAt } = before.session;
    if (runStartedAt === null || after.session.runStartedAt !== null) return;
    if (after.at - runStartedAt >= longEnoughMs) this.#call('the turn has ended');
  }

  #call(text: string): void {
    if (this.how === 'bell') this.terminal.write('\u0007');
    // Nothing in it may end the sequence early or start another one.
    if (this.how === 'osc9') this.terminal.write(`\u001b]9;Cadre: ${showLine(text, 120)}\u0007`);
  }
}
