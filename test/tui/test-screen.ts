import { PassThrough } from 'node:stream';
import { manualClock } from '../../src/lib/clock.ts';
import { openScreen } from '../../src/tui/draw/open-screen.ts';
import type { Screen } from '../../src/tui/draw/screen.ts';
import { Terminal } from '../../src/tui/terminal/terminal.ts';

export interface TestScreen {
  screen: Screen;
  terminal: Terminal;
  /** The end of what was written to the terminal. */
  written(): string;
  /** Every write since it was last asked for. */
  takeWrites(): string[];
}

/** A screen on a terminal that nobody looks at. */
export function openTestScreen(size: { columns: number; rows: number }, isSpoken = false): TestScreen {
  const writes: string[] = [];
  const output = new PassThrough();
  output.on('data', (chunk: Buffer) => {
    writes.push(chunk.toString());
    if (writes.length > 20) writes.shift();
  });
  Object.assign(output, size);
  const terminal = new Terminal(
    {
      input: new PassThrough() as unknown as NodeJS.ReadStream,
      output: output as unknown as NodeJS.WriteStream,
    },
    manualClock(),
  );
  const screen = openScreen(terminal, isSpoken);
  writes.length = 0;
  return { screen, terminal, written: () => writes.join(''), takeWrites: () => writes.splice(0) };
}
