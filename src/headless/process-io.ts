import { fstatSync } from 'node:fs';
import { systemClock } from '../lib/clock.ts';
import { describeFileError } from '../lib/files/files.ts';
import { getErrorCode } from '../lib/result.ts';
import { visible, visibleProse } from '../lib/text/text.ts';
import type { Io } from './io.ts';
import { isAtTerminal, processTerminal } from './process-terminal.ts';

/** The process's own streams. */
export function processIo(): Io {
  const tell = once((problem: string) => write(process.stderr, `cadre: ${problem}\n`));
  return {
    input: process.stdin,
    inputKind: detectInputKind(),
    outputIsTerminal: process.stdout.isTTY === true,
    errorIsTerminal: process.stderr.isTTY === true,
    async writeOut(text) {
      const shown = process.stdout.isTTY === true ? visibleProse(text) : text;
      const error = await write(process.stdout, shown);
      // A reader that closed its end knows it; a full disk must be reported.
      if (error && getErrorCode(error) !== 'EPIPE')
        await tell(describeFileError(error, 'stdout', 'write to').message);
      return !error;
    },
    writeErr: (text) => {
      // People read stderr, and names and reasons in it can come from anywhere.
      void write(process.stderr, visible(text));
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

function once(action: (text: string) => Promise<unknown>): (text: string) => Promise<unknown> {
  let done: Promise<unknown> | undefined;
  return (text) => {
    done ??= action(text);
    return done;
  };
}

/** A closed reader is an ordinary end for a program in a pipeline, not a crash. */
export function onReaderGone(gone: () => void): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => gone());
}

function detectInputKind(): Io['inputKind'] {
  if (process.stdin.isTTY) return 'terminal';
  try {
    const stat = fstatSync(0);
    if (stat.isFIFO() || stat.isSocket()) return 'pipe';
    return stat.isFile() ? 'file' : 'none';
  } catch {
    return 'none';
  }
}
