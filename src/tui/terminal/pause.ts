import { type Clock, sleep } from '../../lib/clock.ts';
import { isForeground } from '../../lib/processes/job-control.ts';
import type { Display } from '../display.ts';
import type { Terminal } from './terminal.ts';

/** Longer than a stop takes to happen. */
const stoppedWithinMs = 100;
/** Longer than it takes to receive a signal sent meanwhile. */
const heardWithinMs = 50;

/**
 * ctrl-z: back to the shell; the program continues where it was when the shell resumes it. If it is asked to end before
 * that, it leaves the terminal to the shell.
 */
export async function pause(
  terminal: Terminal,
  display: Display,
  clock: Clock,
  left: Promise<unknown>,
): Promise<void> {
  let isLeft = false;
  void left.then(() => {
    isLeft = true;
  });
  const resume = display.suspend();
  terminal.release();
  do {
    // The whole group, as the terminal itself would: a shell waits for the process it started, which may be our parent.
    process.kill(0, 'SIGTSTP');
    // No reply is awaited: if no shell could resume it, and we did not know, the system does not stop it at all.
    await sleep(clock, stoppedWithinMs);
    // Time spent stopped counts: this sleep is often over when the program resumes.
    await sleep(clock, heardWithinMs);
    if (isLeft) return;
  } while (!isForeground());
  terminal.takeBack();
  resume();
}
