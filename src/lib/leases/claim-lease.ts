import { join } from 'node:path';
import { isThere, listQuietly, removeQuietly } from '../files/small-files.ts';
import type { Machine } from '../machine.ts';
import { type Result, usage } from '../result.ts';
import { type LeaseClaim, type LeaseOwner, type LeasePlace, listClaims, removeClaim } from './claims.ts';
import { judgeClaim, type LeaseState, readFileTime } from './judge.ts';
import { clearVoid, HeldLease, leaseMs, placeClaim } from './lease.ts';

/** Who has a lease now. */
export interface LeaseStanding {
  claim: LeaseClaim;
  state: LeaseState;
}

export type ClaimedLease =
  | {
      state: 'won';
      lease: HeldLease;
      /** What there was before, and is void now: left by a dead process, or by one that is paused. */
      before: LeaseStanding | undefined;
      /** A process that had it earlier is alive, and may not know yet that it was passed. */
      hasElder: boolean;
    }
  | { state: 'held'; by: LeaseOwner | undefined };

/**
 * Claims a lease under the next epoch. A claim is void when its process is dead, or when its deadline has passed without a
 * renewal. Of several processes that try, one wins.
 */
export function claimLease(place: LeasePlace, name: string): Result<ClaimedLease> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const before = lookAtLease(place, name);
    if (before?.state === 'held') return { ok: true, value: { state: 'held', by: before.claim.owner } };
    const lease = tryNext(place, name, before);
    if (lease && 'hasElder' in lease) return { ok: true, value: { state: 'won', before, ...lease } };
    if (lease) return lease;
  }
  return usage(`${name} is being claimed by another process right now.`, 'Try again.');
}

const maxAttempts = 20;

/**
 * By its newest claim; undefined where nothing is claimed. An older one that is in force counts before a newer one that is void: a
 * process was killed while it claimed, before it saw that the holder had renewed.
 */
export function lookAtLease(place: LeasePlace, name: string): LeaseStanding | undefined {
  const standings = listClaims(place, name).map((claim) => ({ claim, state: judge(place, claim) }));
  return standings.findLast(({ state }) => state === 'held') ?? standings.at(-1);
}

/** Removes what dead processes left of a lease. What a living process still looks for stays. */
export function clearLease(place: LeasePlace, name: string): void {
  const claims = listClaims(place, name);
  const newest = claims.at(-1);
  const elders = clearVoid(place, claims.slice(0, -1));
  if (elders.length > 0 || !newest) return;
  if (['dead', 'released'].includes(judge(place, newest))) removeClaim(place, name, newest.epoch);
}

/** Undefined when another process was faster. */
function tryNext(
  place: LeasePlace,
  name: string,
  before: LeaseStanding | undefined,
): { lease: HeldLease; hasElder: boolean } | undefined | Result<never> {
  const { machine } = place;
  const owner = { ...machine.self(), ...machine.locality(), incarnation: machine.ids.token(16) };
  const claim = { epoch: (before?.claim.epoch ?? 0) + 1, deadline: machine.uptime() + leaseMs, owner };
  const placed = placeClaim(place, name, claim);
  if (placed === 'taken') return undefined;
  if (placed !== 'placed') return placed;
  if (!isSole(place, name, claim, before)) {
    removeClaim(place, name, claim.epoch);
    return undefined;
  }
  const elders = clearVoid(
    place,
    listClaims(place, name).filter(({ epoch }) => epoch < claim.epoch),
  );
  return { lease: new HeldLease(place, name, claim), hasElder: elders.length > 0 };
}

/**
 * Looked at again with the claim in place: the holder may have woken and renewed its own, or the number may be behind one that
 * was claimed meanwhile. A holder that renews looks afterwards too, so at least one of both sees the other.
 */
function isSole(
  place: LeasePlace,
  name: string,
  { epoch, owner }: { epoch: number; owner: LeaseOwner },
  before: LeaseStanding | undefined,
): boolean {
  const claims = listClaims(place, name);
  if (claims.at(-1)?.owner?.incarnation !== owner.incarnation) return false;
  const elders = claims.filter((claim) => claim.epoch < epoch);
  const last = elders.at(-1);
  if (last && last.epoch !== before?.claim.epoch) return false;
  return elders.every((claim) => judge(place, claim) !== 'held');
}

function judge(place: LeasePlace, claim: LeaseClaim): LeaseState {
  return judgeClaim(claim, place.machine, () => readFileTime(place));
}

/** Removes what processes left that were killed while they claimed or renewed. */
export function clearStrays(place: LeasePlace): void {
  const { directory, machine } = place;
  for (const file of listQuietly(place.directory, place.machine.disk)) {
    const path = join(directory, file);
    const isAlone = file.endsWith('.until') && !isThere(path.replace(/until$/, 'json'), machine.disk);
    if (isAlone || (file.endsWith('.new') && isOld(path, machine))) removeQuietly(path, machine.disk);
  }
}

const maxMakingMs = 60_000;

/** A younger one is being written right now. */
function isOld(path: string, { disk }: Machine): boolean {
  try {
    const written = disk.stat(path)?.mtimeMs;
    return written !== undefined && Date.now() - written >= maxMakingMs;
  } catch {
    return false;
  }
}
