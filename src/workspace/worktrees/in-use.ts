import { lookAtLease } from '../../lib/leases/claim-lease.ts';
import { isSameProcess } from '../../lib/processes/mark.ts';
import { locateRunning } from '../running.ts';
import type { WorktreeRecord } from './record.ts';

type Owned = Pick<WorktreeRecord, 'owner' | 'session' | 'scratch'>;

/**
 * A worktree is held by the claim of its session: the process that has the session has it. A process that was paused, and whose session
 * another one took over, has neither. Without a session (a gate, a command) it is held while its process lives.
 */
export function isInUse({ owner, session, scratch }: Owned, home: string): boolean {
  if (owner === null) return false;
  const holder = scratch ? undefined : findHolder(session, home);
  if (!holder) return isSameProcess(owner);
  return holder.pid === owner.pid && holder.start === owner.start;
}

/** The session of its process was taken over: the worktree is its successor's, and this process leaves it as it is. */
export function isPassed(record: Owned, home: string): boolean {
  return record.owner !== null && isSameProcess(record.owner) && !isInUse(record, home);
}

/** Its process is gone, and nobody else has it. */
export function isLeft(record: Owned, home: string): boolean {
  return record.owner !== null && !isInUse(record, home) && !isSameProcess(record.owner);
}

function findHolder(session: string, home: string) {
  const found = lookAtLease(locateRunning(home), session);
  return found?.state === 'held' || found?.state === 'paused' ? found.claim.owner : undefined;
}
