import { rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, systemClock } from '../lib/clock.ts';
import {
  type ClaimedLease,
  claimLease,
  clearLease,
  clearStrays,
  type LeaseStanding,
  lookAtLease,
} from '../lib/leases/claim-lease.ts';
import { type LeaseOwner, type LeasePlace, listLeaseNames } from '../lib/leases/claims.ts';
import { findKeeper } from '../lib/leases/keeper.ts';
import type { HeldLease } from '../lib/leases/lease.ts';
import { type Machine, systemMachine } from '../lib/machine.ts';
import { isStopped } from '../lib/processes/mark.ts';
import { guardOwner } from '../lib/processes/owner-rights.ts';
import { findOwned, sweepMarked } from '../lib/processes/process.ts';
import { signalQuietly } from '../lib/processes/sweep.ts';
import { fail, ok, type Problem, type Result, usage } from '../lib/result.ts';
import { closeToEarlier, readNewestEpoch, type WriteFence } from '../store/fence.ts';
import { locateRunning } from '../workspace/running.ts';

/** The right of this process to a session, for as long as it renews it. Every write and every tool call asks it first. */
export interface SessionClaim extends WriteFence {
  /** The process that it was taken from, because it is paused. */
  readonly takenFrom?: number;
  /** A process that had the session is alive and may write late: the transcripts were closed to it before they were read. */
  readonly isClosedToEarlier: boolean;
  /** Continues under a later epoch than this one, which the transcript was found to contain. */
  raise(found: number): Result<void>;
  /** Present once another process has taken the session over. */
  readonly loss?: Problem | undefined;
  /** Another process here has taken it over. Not of a session that was passed to another machine. */
  readonly isTaken: boolean;
  /** Calls back once, when another process has taken the session over. */
  onLost(callback: (problem: Problem) => void): void;
  /** Gives the session to a holder on another machine: nothing more is written or started here, as if it had been taken. */
  pass(reason: Problem): void;
  release(): void;
}

export interface ClaimWish {
  home: string;
  sessionId: string;
  /** The session's files: its own directory, and the transcript of its lead. */
  directory: string;
  transcript: string;
  machine?: Machine | undefined;
  /** The time by which it is renewed. */
  clock?: Clock;
  /** Ends the processes that an earlier owner of the session left running. */
  sweep?(sessionId: string): void;
  /** The user's next step if another process has it. */
  hint?: string;
  /** Called when the claim is given back. */
  released?(): void;
}

/**
 * Claims a session for this process, since two writers would interleave its history: a lease in `<home>/running`. A claim whose
 * process is dead is void, and so is that of a process that is paused and did not renew it. Nothing of the session may be read
 * before: the transcript is closed to its earlier writer first.
 */
export function claimSession(wish: ClaimWish): Result<SessionClaim> {
  const { home, sessionId, transcript, machine = systemMachine } = wish;
  const { clock = systemClock, sweep = sweepMarked } = wish;
  const place = locateRunning(home, machine);
  const claimed = claimLease(place, sessionId);
  // A disk that is full is another problem than a process that is faster.
  if (!claimed.ok && claimed.problem.kind !== 'usage') return claimed;
  if (!claimed.ok)
    return usage(`Session ${sessionId} is being opened by another process right now.`, 'Try again.');
  if (claimed.value.state === 'held') return refuse(wish, claimed.value, machine);
  const { lease, before, hasElder } = claimed.value;
  if (before && before.state !== 'released') sweep(sessionId);
  const claim = openClaim(wish, lease, { before, hasElder }, machine);
  const raised = claim.raise(readNewestEpoch(transcript, machine.disk));
  const begun =
    raised.ok && claim.isClosedToEarlier ? closeToEarlier(transcript, claim, clock, machine.disk) : raised;
  if (begun.ok) return ok(claim);
  claim.release();
  return begun;
}

function openClaim(
  { sessionId, directory, clock = systemClock, released }: ClaimWish,
  lease: HeldLease,
  { before, hasElder }: { before: LeaseStanding | undefined; hasElder: boolean },
  machine: Machine,
): SessionClaim {
  const keeper = findKeeper(clock);
  keeper.keep(lease);
  let loss: Problem | undefined;
  let isTaken = false;
  let isReleased = false;
  const listeners = new Set<(problem: Problem) => void>();
  const lose = (problem: Problem) => {
    if (loss) return;
    loss = problem;
    for (const listener of listeners) listener(problem);
  };
  lease.onLost((successor) => {
    isTaken = true;
    lose(describeLoss(sessionId, successor));
  });
  const unguard = guardOwner(sessionId, () => {
    lease.check();
    return loss ? fail(loss) : ok(undefined);
  });
  return {
    get loss() {
      return loss;
    },
    get isTaken() {
      lease.check();
      return isTaken;
    },
    get epoch() {
      return lease.epoch;
    },
    pid: machine.self().pid,
    ...(before?.state === 'paused' && before.claim.owner ? { takenFrom: before.claim.owner.pid } : {}),
    isClosedToEarlier: hasElder || before?.state === 'released',
    check() {
      if (loss) return fail(loss);
      return lease.check() ? ok(undefined) : fail(describeLoss(sessionId, lease.successor));
    },
    raise: (found) => (found < lease.epoch ? ok(undefined) : lease.raise(found + 1)),
    onLost(callback) {
      if (loss) callback(loss);
      else listeners.add(callback);
    },
    pass: lose,
    release() {
      if (isReleased) return;
      isReleased = true;
      keeper.drop(lease);
      lease.check();
      unguard();
      lease.release();
      released?.();
      // They are its successor's, which may be about to use them.
      if (loss) return;
      for (const folder of [join(directory, 'tool-results'), join(directory, 'file-history'), directory])
        try {
          rmdirSync(folder);
        } catch {
          // Missing, or not empty: outputs and kept files stay with the transcript.
        }
    },
  };
}

/** Fails once another process has taken the session over; not when it was given back, since some work ends after that. */
export function checkNotLost(claim: SessionClaim): Result<void> {
  claim.check();
  return claim.loss ? fail(claim.loss) : ok(undefined);
}

function describeLoss(sessionId: string, successor: LeaseOwner | undefined): Problem {
  const by = successor ? `process ${successor.pid}` : 'another process';
  return {
    kind: 'usage',
    message: `Session ${sessionId} was taken over by ${by} while this process was paused.`,
    hint: 'Nothing more is written or run here. Quit, or continue in a copy with --resume and --fork-session.',
  };
}

function refuse(
  { sessionId, hint }: ClaimWish,
  { by }: Extract<ClaimedLease, { state: 'held' }>,
  machine: Machine,
): Result<never> {
  const here = by?.pid === machine.self().pid;
  const isAway = by !== undefined && by.host !== '' && by.host !== machine.locality().host;
  const where = here
    ? 'already open here'
    : `open in another process (pid ${by?.pid}${isAway ? ` on ${by.host}` : ''})`;
  const usual = hint ?? 'Close it there, or continue in a copy with --fork-session.';
  const paused =
    by && !isAway && isStopped(by.pid)
      ? 'That process is paused: continue it (fg), or try again in half a minute to take the session over. '
      : '';
  return usage(`Session ${sessionId} is ${where}.`, `${paused}${usual}`);
}

/** True when a living process has the session open, also a paused one. */
export function isClaimed(home: string, sessionId: string): boolean {
  return findSessionOwner(home, sessionId) !== undefined;
}

export interface SessionOwner {
  pid: number;
  /** When it opened the session. */
  since: number;
  /** It is stopped, as by ctrl-z, and does not answer. */
  isPaused: boolean;
}

/** The living process that has the session open. */
export function findSessionOwner(home: string, sessionId: string): SessionOwner | undefined {
  const found = lookAtLease(locateRunning(home), sessionId);
  const owner = found?.claim.owner;
  if (!owner || (found.state !== 'held' && found.state !== 'paused')) return undefined;
  return { pid: owner.pid, since: found.claim.claimedAt, isPaused: isStopped(owner.pid) };
}

/**
 * Homes that this process has swept: "at the next start" means the start of a process, not of each of its sessions, of
 * which there may be a thousand.
 */
const swept = new Set<string>();

/** Ends processes that dead sessions left running: nothing outlives a `kill -9` and the next start. */
export function sweepDead(home: string): void {
  if (swept.has(home)) return;
  swept.add(home);
  const place = locateRunning(home);
  for (const sessionId of listLeaseNames(place)) clearDead(place, sessionId);
  clearStrays(place);
}

/**
 * Listed before the session is looked at once more: if it is still dead then, no new owner can have started any of them, also if
 * one comes right after.
 */
function clearDead(place: LeasePlace, sessionId: string): void {
  const before = lookAtLease(place, sessionId);
  if (before?.state === 'dead') {
    const left = findOwned({ owner: sessionId });
    const now = lookAtLease(place, sessionId);
    if (now?.state !== 'dead' || now.claim.epoch !== before.claim.epoch) return;
    for (const { pid } of left) signalQuietly(pid, 'SIGKILL');
  }
  clearLease(place, sessionId);
}

/** A session whose process is dead, with its processes that still run. */
export interface Leftover {
  sessionId: string;
  pids: number[];
}

/** Sessions that were open when their process was killed. */
export function findDead(home: string): string[] {
  const place = locateRunning(home);
  return listLeaseNames(place).filter((sessionId) => lookAtLease(place, sessionId)?.state === 'dead');
}

/** Leftovers that the next start would clear up. Changes nothing. */
export function findLeftovers(home: string): Leftover[] {
  return findDead(home).map((sessionId) => ({
    sessionId,
    pids: findOwned({ owner: sessionId }).map(({ pid }) => pid),
  }));
}
