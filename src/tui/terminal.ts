import { PassThrough } from 'node:stream';
import type { Clock } from '../lib/clock.ts';
import { KeyGate } from './keys/key-gate.ts';

/** The streams that a terminal is made of. */
export interface TerminalStreams {
  input: NodeJS.ReadStream;
  output: NodeJS.WriteStream;
}

/** What a screen reads keys from. It looks like a terminal to Ink; the real one is ours alone. */
export type KeyStream = PassThrough & {
  isTTY: true;
  setRawMode(mode: boolean): KeyStream;
  ref(): KeyStream;
  unref(): KeyStream;
};

/**
 * The one owner of the terminal: raw mode, the keys, and what has to be undone however the program ends.
 */
export class Terminal {
  readonly output: NodeJS.WriteStream;
  readonly #input: NodeJS.ReadStream;
  readonly #screens: KeyStream[] = [];
  #gone: () => void = () => {};
  #wait: (chunk: Uint8Array) => void = () => {};
  #isTaken = false;

  readonly #gate: KeyGate;
  readonly #pass = (chunk: Uint8Array): void => this.#gate.take(chunk);

  readonly #lost = (): void => this.#gone();

  constructor({ input, output }: TerminalStreams, clock: Clock) {
    this.#gate = new KeyGate(clock, (chunk) => {
      const screen = this.#screens.at(-1);
      if (screen) screen.write(chunk);
      else this.#wait(chunk);
    });
    this.#input = input;
    this.output = output;
    input.on('data', this.#pass);
    for (const stream of [input, output]) stream.on('error', this.#lost);
    input.on('end', this.#lost);
    this.take();
  }

  /** Called when there is nobody at the other end any more. */
  onGone(gone: () => void): void {
    this.#gone = gone;
  }

  /** Called with what is typed while there is no screen that could take it. */
  onWaitingKeys(wait: (chunk: Uint8Array) => void): void {
    this.#wait = wait;
  }

  get columns(): number {
    return this.output.columns || 80;
  }

  get rows(): number {
    return this.output.rows || 24;
  }

  /** The keys from now on, after those that waited; once it is closed, whoever had them before gets them back. */
  openKeys(waited?: Uint8Array): { stream: KeyStream; close(): void } {
    const stream = keyStream();
    this.#screens.push(stream);
    if (waited && waited.length > 0) stream.write(waited);
    return {
      stream,
      close: () => {
        const at = this.#screens.indexOf(stream);
        if (at >= 0) this.#screens.splice(at, 1);
        stream.end();
      },
    };
  }

  take(): void {
    if (this.#isTaken) return;
    this.#isTaken = true;
    this.#input.setRawMode?.(true);
    this.#input.resume();
  }

  /**
   * After another program had it, which may have ended badly: the main screen, no pointer, plain keys, no colour. Nobody is
   * told of another size while stopped, so that it is looked up.
   */
  takeBack(): void {
    this.take();
    this.output.write(tidy);
    (this.output as Resizable)._refreshSize?.();
  }

  /** Gives the terminal back as it was: for an editor, or for good. */
  release(): void {
    if (!this.#isTaken) return;
    this.#isTaken = false;
    this.#input.setRawMode?.(false);
    this.#input.pause();
  }

  /** Whatever state a screen left it in: keys as typed, cursor seen, no special paste, the main screen. */
  restore(): void {
    if (!this.#isTaken) return;
    this.release();
    this.output.write('\u001b[?2004l\u001b[?25h');
  }

  /** For good: whoever reads the terminal next has it alone. */
  close(): void {
    this.restore();
    this.#input.off('data', this.#pass);
    this.#input.off('end', this.#lost);
  }

  write(text: string): void {
    this.output.write(text);
  }
}

/** What a terminal does by itself when the system says that its size is another. Neither runtime has a public name for it. */
type Resizable = NodeJS.WriteStream & { _refreshSize?(): void };

/** The other screen is left without going back to a place that nobody noted; nor does the whole-screen scroll move it. */
const tidy =
  '\u001b[?1047l\u001b7\u001b[r\u001b8\u001b[?1000l\u001b[?1002l\u001b[?1003l\u001b[?1004l\u001b[?1006l\u001b[?1l\u001b>\u001b[?25h\u001b[0m';

function keyStream(): KeyStream {
  const stream = new PassThrough() as KeyStream;
  stream.isTTY = true;
  stream.setRawMode = () => stream;
  stream.ref = () => stream;
  stream.unref = () => stream;
  return stream;
}
