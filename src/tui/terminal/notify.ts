import { formatDuration } from '../../view/format.ts';
import type { ShownQuestion, View } from '../../view/index.ts';
import { showLine } from '../text/index.ts';
import type { Terminal } from './terminal.ts';

/** How to notify a user who is looking elsewhere. */
export type NotifyHow = 'auto' | 'bell' | 'osc9' | 'osc99' | 'osc777' | 'off';

/** Where it is unknown whether the window is in front, the end of a shorter turn is not worth a sound. */
const longEnoughMs = 20_000;

/** Notifies the user when a question waits and when work is done, unless the window is in front. */
export class Notifier {
  readonly #how: Exclude<NotifyHow, 'auto'>;

  constructor(
    private readonly terminal: Terminal,
    how: NotifyHow,
    environment: Readonly<Record<string, string | undefined>>,
  ) {
    this.#how = how === 'auto' ? detectNotification(environment) : how;
  }

  question({ question }: ShownQuestion): void {
    this.#call(`${question.asker.type} asks: ${question.summary}`);
  }

  changed(before: View, after: View): void {
    const { runStartedAt } = before.session;
    if (runStartedAt === null || after.session.runStartedAt !== null) return;
    const took = after.at - runStartedAt;
    const isAway = this.terminal.isFocused === false;
    if (isAway || took >= longEnoughMs) this.#call(`Done in ${formatDuration(took)}`);
  }

  #call(text: string): void {
    if (this.terminal.isFocused) return;
    this.terminal.write(writeNotification(this.#how, text));
  }
}

function writeNotification(how: Exclude<NotifyHow, 'auto'>, text: string): string {
  // Nothing in it may end the sequence early or start another one.
  const shown = showLine(text, 120);
  if (how === 'osc9') return `\u001b]9;Cadre: ${shown}\u0007`;
  if (how === 'osc99') return `\u001b]99;i=cadre;Cadre: ${shown}\u001b\\`;
  if (how === 'osc777') return `\u001b]777;notify;Cadre;${shown.replaceAll(';', ',')}\u0007`;
  return how === 'bell' ? '\u0007' : '';
}

/** The way that this terminal is known to show; the others, and tmux, have a bell. */
export function detectNotification(
  env: Readonly<Record<string, string | undefined>>,
): Exclude<NotifyHow, 'auto'> {
  if (env.TMUX !== undefined || env.STY !== undefined) return 'bell';
  if (env.TERM === 'xterm-kitty') return 'osc99';
  if (/^(?:foot|rxvt-unicode)/.test(env.TERM ?? '')) return 'osc777';
  return /^(?:iTerm\.app|WezTerm|ghostty)$/.test(env.TERM_PROGRAM ?? '') ? 'osc9' : 'bell';
}
