import { join } from 'node:path';
import type { Locality, Machine } from '../machine.ts';
import type { LeaseClaim, LeasePlace } from './claims.ts';

/**
 * `held`: the holder may act. `paused`: its process exists and did not renew in time. `dead`: its process is gone, or nothing can be read. `released`:
 * it was given back.
 */
export type LeaseState = 'held' | 'paused' | 'dead' | 'released';

/** Beyond the deadline, so that two readings of the time never make both a holder and its successor right. */
const graceMs = 1000;

/**
 * A claim of another machine, or of a container with its own processes: only the times of files can be compared. The file server sets
 * both, so the clocks of the machines do not matter.
 */
const maxForeignSilenceMs = 120_000;

/** Where a claim stands now. `fileTime` is the time of a file that was just written beside it. */
export function judgeClaim(claim: LeaseClaim, machine: Machine, fileTime: () => number): LeaseState {
  const { owner, deadline } = claim;
  if (deadline === 0) return 'released';
  if (!owner) return 'dead';
  const here = machine.locality();
  if (!isLocal(owner, here)) {
    if (owner.host === here.host && !sharesBoot(owner.space, here.space)) return 'dead';
    return fileTime() - claim.renewedAt > maxForeignSilenceMs ? 'dead' : 'held';
  }
  if (!machine.isAlive(owner)) return 'dead';
  return machine.uptime() > deadline + graceMs ? 'paused' : 'held';
}

/** A claim of an earlier version names no machine; some systems name no space. */
function isLocal(owner: Locality, here: Locality): boolean {
  if (owner.host === '') return true;
  return owner.space === here.space && (here.space !== '' || owner.host === here.host);
}

/** Of a machine with the same name that was started again, no process is left. */
function sharesBoot(space: string, other: string): boolean {
  return space.split(' ')[0] === other.split(' ')[0];
}

/** The time that a file written now gets. The wall clock where none can be written. */
export function readFileTime({ directory, machine: { disk, ids } }: LeasePlace): number {
  const probe = join(directory, `${ids.token(16)}.new`);
  try {
    disk.open(probe, { access: 'write', create: 'new' }).close();
    const time = disk.stat(probe)?.mtimeMs;
    disk.unlink(probe);
    return time ?? Date.now();
  } catch {
    return Date.now();
  }
}
