import { type Clock, sleep } from '../../lib/clock.ts';
import type { Result } from '../../lib/result.ts';

/** What git says where it reads the data of another worktree that is being made or removed just then. */
const halfMade =
  /bad object worktrees\/|failed to read .*worktrees\/.*\/commondir|could not create directory of '.*worktrees\//;

const pausesMs = [20, 50, 100, 200, 400, 800];

/**
 * Acts again while that fails because of another worktree: many commands of git look at all of them, and fail where one is half made.
 * `act` has to leave nothing behind when it fails.
 */
export async function repeatMeanwhile<T>(clock: Clock, act: () => Promise<Result<T>>): Promise<Result<T>> {
  for (const pauseMs of pausesMs) {
    const done = await act();
    if (done.ok || !halfMade.test(done.problem.message)) return done;
    await sleep(clock, pauseMs);
  }
  return act();
}
