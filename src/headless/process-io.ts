import { fstatSync } from 'node:fs';
import { systemClock } from '../lib/clock.ts';
import { describeFileError } from '../lib/files/files.ts';
import { isTerminal } from '../lib/is-terminal.ts';
import { getErrorCode } from '../lib/result.ts';
import { visible, visibleProse } from '../lib/text/text.ts';
import type { Io } from './io.ts';
import { isAtTerminal, processTerminal } from './process-terminal.ts';

/**
 * The process's own streams. Each is opened when it is first used: that takes the runtime a sixth of a start. `readerGone` is called
 * when the reader of one has closed its end.
 */
export function processIo(readerGone?: () => void): Io {
  const tell = once((problem: string) => write(errors(), `cadre: ${problem}\n`));
  const output = once(() => watched(process.stdout, readerGone));
  const errors = once(() => watched(process.stderr, readerGone));
  return {
    get input() {
      return process.stdin;
    },
    inputKind: detectInputKind(),
    outputIsTerminal: isTerminal(1),
    errorIsTerminal: isTerminal(2),
    openOut: () => void output(),
    async writeOut(text) {
      const shown = isTerminal(1) ? visibleProse(text) : text;
      const error = await write(output(), shown);
      // A reader that closed its end knows it; a full disk must be reported.
      if (error && getErrorCode(error) !== 'EPIPE')
        await tell(describeFileError(error, 'stdout', 'write to').message);
      return !error;
    },
    writeErr: (text) => {
      // People read stderr, and names and reasons in it can come from anywhere.
      void write(errors(), visible(text));
    },
    terminal: isAtTerminal() ? processTerminal(systemClock) : undefined,
  };
}

/** Resolves to what went wrong, when it is known. */
function write(stream: NodeJS.WriteStream, text: string): Promise<Error | undefined> {
  return new Promise((resolve) => {
    stream.write(text, (error) => resolve(error ?? undefined));
  });
}

function once<Word = void, Done extends object = object>(action: (word: Word) => Done): (word: Word) => Done {
  let done: Done | undefined;
  return (word) => {
    done ??= action(word);
    return done;
  };
}

function watched(stream: NodeJS.WriteStream, readerGone: (() => void) | undefined): NodeJS.WriteStream {
  return readerGone ? stream.on('error', () => readerGone()) : stream;
}

/** A closed reader is an ordinary end for a program in a pipeline, not a crash. */
export function onReaderGone(gone: () => void): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => gone());
}

function detectInputKind(): Io['inputKind'] {
  if (isTerminal(0)) return 'terminal';
  try {
    const stat = fstatSync(0);
    if (stat.isFIFO() || stat.isSocket()) return 'pipe';
    return stat.isFile() ? 'file' : 'none';
  } catch {
    return 'none';
  }
}
