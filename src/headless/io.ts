import { formatError, getErrorCode, type Result, usage } from '../lib/result.ts';
/** The three streams of a headless run, as values, so that a test or a host can be at the other end. */
export interface Io {
  /** Chunks of stdin; ends at end of file. */
  input: AsyncIterable<Uint8Array>;
  /** The kind of stdin: a run does not wait for a terminal or for `/dev/null`. */
  inputKind: 'terminal' | 'pipe' | 'file' | 'none';
  /** A terminal interprets what it is sent, so only harmless text goes there. */
  outputIsTerminal: boolean;
  errorIsTerminal: boolean;
  /** Something will soon be written out: what that needs can be loaded now. */
  openOut?(): void;
  /** Resolves when the reader has taken it; false when the reader is gone. */
  writeOut(text: string): Promise<boolean>;
  writeErr(text: string): void;
  /** Present if a person is at both stdin and stderr. */
  terminal?: LineTerminal;
}

export interface LineTerminal {
  columns(): number;
  rows(): number;
  show(text: string): void;
  /**
   * One line, typed after `prompt` was shown. With `fresh`, earlier input is discarded first, so that a user does not
   * answer a question that they have not seen.
   */
  readLine(prompt: string, options: ReadLineOptions): Promise<Typed>;
  /** Keys as they are typed, until they are closed. */
  openKeys(signal: AbortSignal): TypedKeys;
}

export interface TypedKeys {
  /** The next input; undefined when the signal or the terminal ends it. */
  next(): Promise<string | undefined>;
  close(): void;
}

export interface ReadLineOptions {
  fresh: boolean;
  signal: AbortSignal;
  /** A secret: a dot is shown for each character. */
  hidden?: boolean;
}

export type Typed =
  | { kind: 'line'; text: string }
  | { kind: 'interrupt' }
  | { kind: 'end' }
  | { kind: 'gone' };

/** Writes one frame, as one line. U+2028 and U+2029 are escaped: some readers take them for line ends. */
export function writeFrame(io: Io, frame: object): Promise<boolean> {
  const line = JSON.stringify(frame).replace(/[\u2028\u2029]/g, (c) =>
    c === '\u2028' ? '\\u2028' : '\\u2029',
  );
  return io.writeOut(`${line}\n`);
}

/** A directory, or a descriptor that was opened for writing. */
export function unreadableInput(error: unknown): Result<never> {
  const code = getErrorCode(error);
  const why =
    code === 'EISDIR'
      ? 'it is a directory'
      : code === 'EBADF'
        ? 'it is not open for reading'
        : formatError(error);
  return usage(`Cannot read standard input: ${why}.`, 'Pipe text in, or use < /dev/null.');
}
