import { connectSession, type DoorClient, type DoorWish } from '../../door/door-client.ts';
import { systemClock } from '../../lib/clock.ts';
import { failure, type Result } from '../../lib/result.ts';
import { findSessionOwner } from '../owner.ts';

/** Connects to the process that has a session open. */
export async function connectOwner(
  home: string,
  sessionId: string,
  wish: Omit<DoorWish, 'clock'> & Partial<Pick<DoorWish, 'clock'>>,
): Promise<Result<DoorClient>> {
  const owner = findSessionOwner(home, sessionId);
  if (!owner)
    return failure(`Session ${sessionId} is not open.`, `Open it with cadre --resume ${sessionId}.`);
  if (owner.isPaused)
    return failure(
      `Session ${sessionId} is open in process ${owner.pid}, which is paused.`,
      `Continue that process (fg), or take the session over with cadre --resume ${sessionId}.`,
    );
  return connectSession({ home, sessionId, pid: owner.pid }, { clock: systemClock, ...wish });
}
