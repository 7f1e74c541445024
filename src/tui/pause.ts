import type { Suspend } from './screens.tsx';
import type { Terminal } from './terminal.ts';

/** ctrl-z: back to the shell; the program goes on where it was when the shell brings it back. */
export async function pause(terminal: Terminal, suspend: Promise<Suspend>): Promise<void> {
  const resume = await (await suspend)();
  terminal.restore();
  const back = new Promise<void>((resolve) => process.once('SIGCONT', () => resolve()));
  process.kill(process.pid, 'SIGTSTP');
  await back;
  terminal.take();
  await resume();
}
