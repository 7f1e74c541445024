import { type Clock, sleep } from '../../lib/clock.ts';
import type { Input } from '../keys/key.ts';
import { KeyReader } from '../keys/key-reader.ts';
import { askTerminal, type Report, readReport } from '../keys/reports.ts';

/** The streams of a terminal. */
export interface TerminalStreams {
  input: NodeJS.ReadStream;
  output: NodeJS.WriteStream;
}

/** Takes the inputs that arrived together. */
export type TakeInputs = (inputs: readonly Input[]) => void;

/** What the environment says about it. */
export interface TerminalTraits {
  /** It can only print: it gets no escapes at all. */
  isDumb?: boolean;
  /** It is asked for its background and its keyboard. Some print such a question. */
  isAsked?: boolean;
  /** It knows xterm's way to tell shift-return from return. Others take the switch for a colour. */
  modifiesKeys?: boolean;
}

/** Answers to our questions come within this time, or reach the shell. */
const answerMs = 300;

/**
 * The one owner of the terminal: raw mode, keys, title, and cleanup however the program ends.
 */
export class Terminal {
  readonly #input: NodeJS.ReadStream;
  readonly #output: NodeJS.WriteStream;
  readonly #readers: TakeInputs[] = [];
  readonly #keys: KeyReader;
  readonly #answered = Promise.withResolvers<void>();
  #gone: () => void = () => {};
  #reported: (report: Report) => void = () => {};
  #background: 'dark' | 'light' | undefined;
  #isFocused: boolean | undefined;
  /** Switches its keyboard to keys that can be told apart, and back. */
  #keyboard: { on: string; off: string } | undefined;
  #title: string | undefined;
  #isAnswerDue = false;
  #isTaken = false;
  #isLent = false;
  #isAlternate = false;

  readonly #pass = (chunk: Uint8Array): void => this.#keys.take(chunk);
  readonly #lost = (): void => this.#gone();
  readonly #exit = (): void => this.release();

  constructor(
    { input, output }: TerminalStreams,
    private readonly clock: Clock,
    private readonly traits: TerminalTraits = {},
  ) {
    this.#keys = new KeyReader(
      clock,
      (inputs) => this.#readers.at(-1)?.(inputs),
      (sequence) => this.#hear(readReport(sequence)),
    );
    this.#input = input;
    this.#output = output;
    input.on('data', this.#pass);
    for (const stream of [input, output]) stream.on('error', this.#lost);
    input.on('end', this.#lost);
    // After a crash the shell needs its cursor and its screen.
    process.on('exit', this.#exit);
    this.#take();
    if (!traits.isAsked) return;
    this.#isAnswerDue = true;
    this.write(askTerminal);
  }

  /** As it said; undefined until it has, and if it does not know. */
  get background(): 'dark' | 'light' | undefined {
    return this.#background;
  }

  /** Whether its window is in front; undefined if it never said. */
  get isFocused(): boolean | undefined {
    return this.#isFocused;
  }

  /** Called with everything that it says about itself from now on. */
  onReport(reported: (report: Report) => void): void {
    this.#reported = reported;
  }

  /** The title of its window, until the terminal is given back. Control characters would end it early: there must be none. */
  setTitle(title: string): void {
    if (title === this.#title) return;
    const isFirst = this.#title === undefined;
    this.#title = title;
    if (this.#isTaken) this.write((isFirst ? saveTitle : '') + writeTitle(title));
  }

  /** Resolves when nothing that it was asked can reach the shell any more. */
  async settle(): Promise<void> {
    if (this.#isAnswerDue) await Promise.race([this.#answered.promise, sleep(this.clock, answerMs)]);
  }

  /** Called when the other end is gone. */
  onGone(gone: () => void): void {
    this.#gone = gone;
  }

  /** Called when the size changes, until the returned function is called. */
  onResize(changed: () => void): () => void {
    this.#output.on('resize', changed);
    return () => void this.#output.off('resize', changed);
  }

  /** True while another program has the terminal: an interrupt typed there is that program's. */
  get isLent(): boolean {
    return this.#isLent;
  }

  get columns(): number {
    return this.#output.columns || 80;
  }

  get rows(): number {
    return this.#output.rows || 24;
  }

  /** The keys from now on; the returned function gives them back to the previous reader. */
  openKeys(take: TakeInputs): () => void {
    this.#readers.push(take);
    return () => {
      const at = this.#readers.lastIndexOf(take);
      if (at >= 0) this.#readers.splice(at, 1);
    };
  }

  /** For an editor, until `takeBack`. */
  lend(): void {
    this.#isLent = true;
    this.write(saveCursor);
    this.release();
  }

  /** Gives the terminal back as it was: plain keys, visible cursor, no bracketed paste, main screen. */
  release(): void {
    if (!this.#isTaken) return;
    this.useAlternate(false);
    const title = this.#title === undefined ? '' : writeTitle('') + restoreTitle;
    this.write(`\u001b[?2004l\u001b[?25h\u001b[?1004l${this.#keyboard?.off ?? ''}${title}`);
    this.#isTaken = false;
    this.#input.setRawMode?.(false);
    this.#input.pause();
  }

  /**
   * After another program had it, which may have ended badly: main screen, no mouse, plain keys, no colour. One that has
   * failed may have left the cursor anywhere: everything it wrote since `lend` is erased. A stopped process gets no resize
   * event, so the size is looked up.
   */
  takeBack(hasFailed = false): void {
    this.#isLent = false;
    this.#take(
      leaveOther + (hasFailed ? `${resetRegion}${restoreCursor}\u001b[0m\u001b[J` : keepPlace) + plainModes,
    );
    (this.#output as Resizable)._refreshSize?.();
  }

  /** The terminal's second screen: the main one stays as it is behind it. */
  useAlternate(isWanted: boolean): void {
    if (this.#isAlternate === isWanted) return;
    this.#isAlternate = isWanted;
    this.write(isWanted ? '\u001b[?1049h' : '\u001b[?1049l');
  }

  /** For good: the next reader has the terminal to itself. */
  close(): void {
    this.release();
    this.#input.off('data', this.#pass);
    this.#input.off('end', this.#lost);
    process.off('exit', this.#exit);
  }

  /** Puts text, in base64, on its clipboard. It does not say whether it did. False: it is never asked. */
  copy(text: string): boolean {
    if (this.traits.isDumb) return false;
    this.write(`\u001b]52;c;${text}\u0007`);
    return true;
  }

  write(text: string): void {
    this.#output.write(this.traits.isDumb ? text.replace(escapes, '') : text);
  }

  #take(first = ''): void {
    if (this.#isTaken) return;
    this.#isTaken = true;
    this.#input.setRawMode?.(true);
    this.#input.resume();
    // Bracketed paste: a paste must be told from keys from the start. Then whether the window is in front.
    const title = this.#title === undefined ? '' : saveTitle + writeTitle(this.#title);
    this.write(`${first}\u001b[?2004h\u001b[?1004h${this.#keyboard?.on ?? ''}${title}`);
  }

  #hear(report: Report | undefined): void {
    if (!report) return;
    if (report.kind === 'focus') this.#isFocused = report.isFocused;
    if (report.kind === 'background') this.#background = report.background;
    if (report.kind === 'keyboard') this.#useKeyboard(kittyKeyboard);
    if (report.kind === 'attributes' && this.#isAnswerDue) {
      if (this.traits.modifiesKeys) this.#useKeyboard(xtermKeyboard);
      this.#isAnswerDue = false;
      this.#answered.resolve();
    }
    this.#reported(report);
  }

  /** The first that it knows. */
  #useKeyboard(keyboard: { on: string; off: string }): void {
    if (this.#keyboard || !this.#isAnswerDue) return;
    this.#keyboard = keyboard;
    if (this.#isTaken) this.write(keyboard.on);
  }
}

const escapes = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|.)/g;

/** A terminal's reaction to the system's resize signal. Neither runtime has a public name for it. */
type Resizable = NodeJS.WriteStream & { _refreshSize?(): void };

/** Keys with modifiers as numbers, and which key it is on a Latin keyboard: shortcuts work in every layout. */
const kittyKeyboard = { on: '\u001b[>5u', off: '\u001b[<u' };
const xtermKeyboard = { on: '\u001b[>4;1m', off: '\u001b[>4m' };
const saveTitle = '\u001b[22;2t';
const restoreTitle = '\u001b[23;2t';

function writeTitle(title: string): string {
  return `\u001b]2;${title}\u001b\\`;
}

const saveCursor = '\u001b7';
const restoreCursor = '\u001b8';
/** Without restoring the cursor that the other program saved, or never did. */
const leaveOther = '\u001b[?1047l';
/** The whole screen scrolls again. This moves the cursor. */
const resetRegion = '\u001b[r';
const keepPlace = `${saveCursor}${resetRegion}${restoreCursor}`;
const plainModes =
  '\u001b[?1000l\u001b[?1002l\u001b[?1003l\u001b[?1004l\u001b[?1006l\u001b[?1l\u001b>\u001b[?25h\u001b[0m';
