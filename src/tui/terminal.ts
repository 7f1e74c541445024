import type { Clock } from '../lib/clock.ts';
import type { Input } from './keys/key.ts';
import { KeyReader } from './keys/key-reader.ts';

/** The streams of a terminal. */
export interface TerminalStreams {
  input: NodeJS.ReadStream;
  output: NodeJS.WriteStream;
}

/** Takes the inputs that arrived together. */
export type TakeInputs = (inputs: readonly Input[]) => void;

/**
 * The one owner of the terminal: raw mode, keys, and cleanup however the program ends.
 */
export class Terminal {
  readonly #input: NodeJS.ReadStream;
  readonly #output: NodeJS.WriteStream;
  readonly #readers: TakeInputs[] = [];
  readonly #keys: KeyReader;
  #gone: () => void = () => {};
  #isTaken = false;
  #isLent = false;
  #isAlternate = false;

  readonly #pass = (chunk: Uint8Array): void => this.#keys.take(chunk);
  readonly #lost = (): void => this.#gone();
  readonly #exit = (): void => this.release();

  constructor(
    { input, output }: TerminalStreams,
    clock: Clock,
    /** It can only print: it gets no escapes at all. */
    private readonly isDumb = false,
  ) {
    this.#keys = new KeyReader(clock, (inputs) => this.#readers.at(-1)?.(inputs));
    this.#input = input;
    this.#output = output;
    input.on('data', this.#pass);
    for (const stream of [input, output]) stream.on('error', this.#lost);
    input.on('end', this.#lost);
    // After a crash the shell needs its cursor and its screen.
    process.on('exit', this.#exit);
    this.#take();
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
    this.write('\u001b[?2004l\u001b[?25h');
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

  write(text: string): void {
    this.#output.write(this.isDumb ? text.replace(escapes, '') : text);
  }

  #take(first = ''): void {
    if (this.#isTaken) return;
    this.#isTaken = true;
    this.#input.setRawMode?.(true);
    this.#input.resume();
    // Bracketed paste: a paste must be told from keys from the start.
    this.write(`${first}\u001b[?2004h`);
  }
}

const escapes = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|.)/g;

/** A terminal's reaction to the system's resize signal. Neither runtime has a public name for it. */
type Resizable = NodeJS.WriteStream & { _refreshSize?(): void };

const saveCursor = '\u001b7';
const restoreCursor = '\u001b8';
/** Without restoring the cursor that the other program saved, or never did. */
const leaveOther = '\u001b[?1047l';
/** The whole screen scrolls again. This moves the cursor. */
const resetRegion = '\u001b[r';
const keepPlace = `${saveCursor}${resetRegion}${restoreCursor}`;
const plainModes =
  '\u001b[?1000l\u001b[?1002l\u001b[?1003l\u001b[?1004l\u001b[?1006l\u001b[?1l\u001b>\u001b[?25h\u001b[0m';
