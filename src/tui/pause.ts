import { type Clock, sleep } from '../lib/clock.ts';
import { isForeground } from '../lib/processes/job-control.ts';
import type { Suspend } from './screens.tsx';
import type { Terminal } from './terminal.ts';

/** Longer than a stop takes to come about. */
const stoppedWithinMs = 100;
/** Longer than it takes to hear a signal that was sent meanwhile. */
const heardWithinMs = 50;

/**
 * ctrl-z: back to the shell; the program goes on where it was when the shell brings it back. One that is told to end before
 * that leaves the terminal to the shell.
 */
export async function pause(
  terminal: Terminal,
  suspend: Promise<Suspend>,
  clock: Clock,
  left: Promise<unknown>,
): Promise<void> {
  let isLeft = false;
  void left.then(() => {
    isLeft = true;
  });
  const resume = await (await suspend)();
  terminal.restore();
  do {
    // The whole group, as the terminal itself would: a shell waits for whoever it has started, perhaps in our place.
    process.kill(0, 'SIGTSTP');
    // No answer is waited for: where no shell could bring it back, and that was not known, the system does not stop it at all.
    await sleep(clock, stoppedWithinMs);
    // The time that it was stopped counts: this sleep is often over when it goes on.
    await sleep(clock, heardWithinMs);
    if (isLeft) return;
  } while (!isForeground());
  terminal.takeBack();
  await resume();
}
