import { PassThrough } from 'node:stream';
import type { Clock } from '../lib/clock.ts';
import { KeyGate } from './keys/key-gate.ts';

/** The streams of a terminal. */
export interface TerminalStreams {
  input: NodeJS.ReadStream;
  output: NodeJS.WriteStream;
}

/** The stream a screen reads keys from. It looks like a terminal to Ink; the real one is ours alone. */
export type KeyStream = PassThrough & {
  isTTY: true;
  setRawMode(mode: boolean): KeyStream;
  ref(): KeyStream;
  unref(): KeyStream;
};

/**
 * The one owner of the terminal: raw mode, keys, and cleanup however the program ends.
 */
export class Terminal {
  readonly output: NodeJS.WriteStream;
  readonly #input: NodeJS.ReadStream;
  readonly #screens: KeyStream[] = [];
  #gone: () => void = () => {};
  #wait: (chunk: Uint8Array) => void = () => {};
  #isTaken = false;
  #isLent = false;

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

  /** Called when the other end is gone. */
  onGone(gone: () => void): void {
    this.#gone = gone;
  }

  /** Called with text typed while no screen can take it. */
  onWaitingKeys(wait: (chunk: Uint8Array) => void): void {
    this.#wait = wait;
  }

  /** True while another program has the terminal: an interrupt typed there is that program's. */
  get isLent(): boolean {
    return this.#isLent;
  }

  get columns(): number {
    return this.output.columns || 80;
  }

  get rows(): number {
    return this.output.rows || 24;
  }

  /** The keys from now on, after the queued ones; once it is closed, the previous reader gets them back. */
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
   * After another program had it, which may have ended badly: main screen, no mouse, plain keys, no colour. A stopped process
   * gets no resize event, so the size is looked up.
   */
  takeBack(): void {
    this.#isLent = false;
    this.take();
    this.output.write(tidy);
    (this.output as Resizable)._refreshSize?.();
  }

  /** For an editor, until `takeBack`. */
  lend(): void {
    this.#isLent = true;
    this.release();
  }

  /** Gives the terminal back as it was. */
  release(): void {
    if (!this.#isTaken) return;
    this.#isTaken = false;
    this.#input.setRawMode?.(false);
    this.#input.pause();
  }

  /** Whatever state a screen left it in: plain keys, visible cursor, no bracketed paste, main screen. */
  restore(): void {
    if (!this.#isTaken) return;
    this.release();
    this.output.write('\u001b[?2004l\u001b[?25h');
  }

  /** For good: the next reader has the terminal to itself. */
  close(): void {
    this.restore();
    this.#input.off('data', this.#pass);
    this.#input.off('end', this.#lost);
  }

  write(text: string): void {
    this.output.write(text);
  }
}

/** A terminal's reaction to the system's resize signal. Neither runtime has a public name for it. */
type Resizable = NodeJS.WriteStream & { _refreshSize?(): void };

/** Leaves the other screen without restoring a cursor that was never saved, and without scrolling the screen. */
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
