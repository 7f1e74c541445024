import type { Clock } from '../lib/clock.ts';
import type { Result } from '../lib/result.ts';
import { escapeKey } from './key-gate.ts';
import type { Terminal } from './terminal.ts';
import { wrap } from './text/wrap.ts';

/** What a repository would bring into force, and how to let it. */
export interface TrustQuestion {
  /** Whole, and free of anything that a terminal obeys. */
  text: string;
  /** How many pieces. */
  count: number;
  grant(): Promise<Result<number>>;
  /** It is not asked again, until something changes. */
  decline(): Promise<Result<void>>;
}

const quietMs = 300;

/**
 * Asked before the session is opened: what is trusted then is in force in it. Anything but a yes leaves everything as it
 * is; what narrows holds anyway. A no is remembered, an escape is not.
 */
export async function askTrust(
  question: TrustQuestion,
  terminal: Terminal,
  clock: Clock,
): Promise<'trusted' | 'held' | 'leave'> {
  const { columns } = terminal;
  const lines = wrap(question.text.trimEnd(), columns, { indent: '    ' });
  const what = question.count === 1 ? 'this' : `these ${question.count}`;
  const asks = wrap(`Let ${what} take effect, until it changes?  y yes  n no  ctrl-c leave`, columns);
  terminal.write([...lines, '', ...asks, ''].join('\r\n'));
  const shownAt = clock.monotonic();
  const keys = terminal.openKeys();
  try {
    for await (const chunk of keys.stream) {
      const typed = String(chunk);
      if (typed.includes('\u0003')) return 'leave';
      // Typed before it could be read: no answer.
      if (clock.monotonic() - shownAt < quietMs) continue;
      if (/^y$/i.test(typed)) return await grant(question, terminal);
      if (/^n$/i.test(typed)) return await decline(question, terminal);
      // For this time.
      if (typed === escapeKey) return 'held';
    }
    return 'leave';
  } finally {
    keys.close();
  }
}

async function decline(question: TrustQuestion, terminal: Terminal): Promise<'held'> {
  const noted = await question.decline();
  terminal.write(noted.ok ? 'Held back. cadre trust asks again.\r\n' : `${noted.problem.message}\r\n`);
  return 'held';
}

async function grant(question: TrustQuestion, terminal: Terminal): Promise<'trusted' | 'held'> {
  const granted = await question.grant();
  if (granted.ok) return 'trusted';
  terminal.write(`${granted.problem.message}\r\n`);
  return 'held';
}
