/** A program that fails with a panel in front. */
import { systemClock } from '../../src/lib/clock.ts';
import { Terminal } from '../../src/tui/terminal/terminal.ts';

const terminal = new Terminal({ input: process.stdin, output: process.stdout }, systemClock);
terminal.useAlternate(true);
terminal.write('\u001b[?25l');
setImmediate(() => {
  throw new Error('broken');
});
