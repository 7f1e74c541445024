import type { Clock } from '../lib/clock.ts';
import type { Result } from '../lib/result.ts';
import type { Input } from './keys/key.ts';
import type { Terminal } from './terminal/terminal.ts';
import { showControls } from './text/controls.ts';
import { wrap } from './text/wrap.ts';

/** The settings a repository would activate, and how to allow them. */
export interface TrustQuestion {
  /** Complete, and free of terminal control sequences. */
  text: string;
  /** The number of pieces. */
  count: number;
  grant(): Promise<Result<number>>;
  /** It is not asked again until something changes. */
  decline(): Promise<Result<void>>;
}

const quietMs = 300;

/**
 * Asked before the session is opened, so a yes applies to it. Anything but a yes changes nothing; settings that only
 * narrow apply anyway. A no is remembered, an escape is not.
 */
export async function askTrust(
  question: TrustQuestion,
  terminal: Terminal,
  clock: Clock,
): Promise<'trusted' | 'held' | 'leave'> {
  const pages = new Pages(question, terminal);
  pages.showNext();
  let shownAt = clock.monotonic();
  const chosen = Promise.withResolvers<Choice>();
  const closeKeys = terminal.openKeys((inputs) => {
    const keys = inputs.map(nameInput);
    if (keys.includes('ctrl-c')) return chosen.resolve('leave');
    // Typed before it could be read, or several at once: not an answer.
    if (clock.monotonic() - shownAt < quietMs || keys.length > 1) return;
    const [key = ''] = keys;
    if (!pages.isRead && readsOn.has(key)) {
      pages.showNext();
      shownAt = clock.monotonic();
    }
    if (pages.isRead && key === 'y') chosen.resolve('grant');
    if (key === 'n') chosen.resolve('decline');
    // For this time only.
    if (key === 'escape') chosen.resolve('held');
  });
  const choice = await chosen.promise;
  const answer =
    choice === 'grant'
      ? await grant(question, terminal)
      : choice === 'decline'
        ? await decline(question, terminal)
        : choice;
  closeKeys();
  return answer;
}

type Choice = 'leave' | 'held' | 'grant' | 'decline';

const readsOn: ReadonlySet<string> = new Set([' ', 'return', 'ctrl-j', 'pagedown']);

/** A letter in either case, or a key's name. */
function nameInput(input: Input): string {
  if ('pasted' in input) return '';
  const { name, text, ctrl, alt } = input;
  if (name === 'text') return text?.toLowerCase() ?? '';
  return `${ctrl ? 'ctrl-' : ''}${alt ? 'alt-' : ''}${name}`;
}

/** Rows for the question below a page. */
const besides = 4;

/** The repository's settings, page by page: nothing is trusted before its last line was on the screen. */
class Pages {
  readonly #lines: string[];
  readonly #asks: string[];
  readonly #room: number;
  /** Rows below the current page. */
  #below = 0;

  constructor(
    { text, count }: TrustQuestion,
    private readonly terminal: Terminal,
  ) {
    const { columns, rows } = terminal;
    const what = count === 1 ? 'this until it changes' : `these ${count} until they change`;
    // Wrapped at the cell: in a command that would run, every blank matters.
    this.#lines = wrap(showControls(text.trimEnd()), columns, { indent: '    ', hard: true });
    this.#asks = wrap(`Trust ${what}?  y yes  n no  esc not now  ctrl-c quit`, columns);
    this.#room = Math.max(1, rows - besides);
  }

  get isRead(): boolean {
    return this.#lines.length === 0;
  }

  showNext(): void {
    const page = this.#lines.splice(0, this.#room);
    const left = this.#lines.length;
    const more = `${left} more ${left === 1 ? 'line' : 'lines'}: space or pagedown to keep reading  n no  esc not now  ctrl-c quit`;
    const below = left === 0 ? this.#asks : wrap(more, this.terminal.columns);
    // The question below the previous page is not part of the text: the next page replaces it.
    const back = this.#below === 0 ? '' : `\u001b[${this.#below}A\r\u001b[J`;
    this.#below = below.length + 1;
    this.terminal.write(back + [...page, '', ...below, ''].join('\r\n'));
  }
}

async function decline(question: TrustQuestion, terminal: Terminal): Promise<'held'> {
  const noted = await question.decline();
  terminal.write(
    noted.ok ? 'Not trusted. Run cadre trust to be asked again.\r\n' : `${noted.problem.message}\r\n`,
  );
  return 'held';
}

async function grant(question: TrustQuestion, terminal: Terminal): Promise<'trusted' | 'held'> {
  const granted = await question.grant();
  if (granted.ok) return 'trusted';
  terminal.write(`${granted.problem.message}\r\n`);
  return 'held';
}
