import { type Clock, sleep } from '../lib/clock.ts';
import type { Suspend } from './screens.tsx';
import type { Terminal } from './terminal.ts';

/** Longer than a stop takes to come about; while the program is stopped no time passes for it. */
const stoppedWithinMs = 100;

/** ctrl-z: back to the shell; the program goes on where it was when the shell brings it back. */
export async function pause(terminal: Terminal, suspend: Promise<Suspend>, clock: Clock): Promise<void> {
  const resume = await (await suspend)();
  terminal.restore();
  // The whole group, as the terminal itself would: a shell waits for whoever it has started, perhaps in our place.
  process.kill(0, 'SIGTSTP');
  // No answer is waited for: where no shell could bring it back, and that was not known, the system does not stop it at all.
  await sleep(clock, stoppedWithinMs);
  terminal.takeBack();
  await resume();
}
