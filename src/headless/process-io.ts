import { fstatSync } from 'node:fs';
import { codeOf } from '../lib/result.ts';
import type { Io } from './io.ts';

/** The process's own streams. */
export function processIo(): Io {
  return {
    input: process.stdin,
    inputKind: kindOfInput(),
    writeOut: (text) => write(process.stdout, text),
    writeErr: (text) => {
      void write(process.stderr, text);
    },
  };
}

function write(stream: NodeJS.WriteStream, text: string): Promise<boolean> {
  return new Promise((resolve) => {
    stream.write(text, (error) => resolve(error == null));
  });
}

/** A reader that goes away is an ordinary end for a program in a pipeline, not a crash. */
export function onReaderGone(gone: () => void): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error) => {
      if (codeOf(error) === 'EPIPE') gone();
    });
}

function kindOfInput(): Io['inputKind'] {
  if (process.stdin.isTTY) return 'terminal';
  try {
    const stat = fstatSync(0);
    if (stat.isFIFO() || stat.isSocket()) return 'pipe';
    return stat.isFile() ? 'file' : 'none';
  } catch {
    return 'none';
  }
}
