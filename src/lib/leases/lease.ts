import { dirname } from 'node:path';
import { replaceFile } from '../files/atomic.ts';
import { describeFileError, ensurePrivateDirectory } from '../files/files.ts';
import { removeQuietly, writeNew } from '../files/small-files.ts';
import { formatProcessName } from '../files/temporary-names.ts';
import { fail, failure, getErrorCode, ok, type Result } from '../result.ts';
import {
  type LeaseClaim,
  type LeaseOwner,
  type LeasePlace,
  listClaims,
  locateClaim,
  locateRenewal,
  removeClaim,
} from './claims.ts';
import { judgeClaim, readFileTime } from './judge.ts';

/** How long a claim lasts without being renewed. */
export const leaseMs = 30_000;

/** A lease that this process holds, or held until another process took it over. */
export class HeldLease {
  readonly #owner: LeaseOwner;
  readonly #lost: ((successor: LeaseOwner | undefined) => void)[] = [];
  #epoch: number;
  #deadline: number;
  #state: 'held' | 'lost' | 'released' = 'held';
  #successor: LeaseOwner | undefined;

  constructor(
    private readonly place: LeasePlace,
    readonly name: string,
    claim: { epoch: number; deadline: number; owner: LeaseOwner },
  ) {
    this.#epoch = claim.epoch;
    this.#deadline = claim.deadline;
    this.#owner = claim.owner;
  }

  get epoch(): number {
    return this.#epoch;
  }

  /** The process that took it over, where that is known. */
  get successor(): LeaseOwner | undefined {
    return this.#successor;
  }

  /**
   * Whether this process may still act. Ask right before every act: before the deadline no other process can have the lease;
   * after it (this process was paused) the disk is asked.
   */
  check(): boolean {
    if (this.#state !== 'held') return false;
    return this.place.machine.uptime() < this.#deadline || this.renew();
  }

  /** Moves the deadline, if the claim is still the newest. Looked at once more afterwards: a successor looks the other way round. */
  renew(): boolean {
    if (this.#state !== 'held') return false;
    if (!this.#isNewest()) return this.#lose();
    const deadline = this.place.machine.uptime() + leaseMs;
    const isWritten = writeDeadline(this.place, this.name, this.#epoch, deadline);
    if (!this.#isNewest()) return this.#lose();
    // On a disk that is full the claim ends at its deadline for others, and from then on every act looks here first.
    if (isWritten) this.#deadline = deadline;
    return true;
  }

  /** True when the deadline is nearer than two thirds of a lease. */
  get isDue(): boolean {
    return this.#deadline - this.place.machine.uptime() < (2 * leaseMs) / 3;
  }

  /**
   * Continues under a later epoch: what the lease protects may remember more epochs than this directory, from which claims are
   * removed.
   */
  raise(epoch: number): Result<void> {
    if (epoch <= this.#epoch) return ok(undefined);
    if (!this.check()) return failure(`The lease ${this.name} was taken over by another process.`);
    const deadline = this.place.machine.uptime() + leaseMs;
    const placed = placeClaim(this.place, this.name, { epoch, deadline, owner: this.#owner });
    if (placed !== 'placed' && placed !== 'taken') return placed;
    const others = listClaims(this.place, this.name).filter(
      (claim) => claim.epoch > this.#epoch && !this.#isMine(claim),
    );
    if (placed === 'taken' || others.length > 0) {
      if (placed === 'placed') removeClaim(this.place, this.name, epoch);
      this.#lose();
      return failure(`The lease ${this.name} was taken over by another process.`);
    }
    removeClaim(this.place, this.name, this.#epoch);
    this.#epoch = epoch;
    this.#deadline = deadline;
    return ok(undefined);
  }

  /** Calls back once, when it is noticed that another process has the lease. */
  onLost(callback: (successor: LeaseOwner | undefined) => void): void {
    this.#lost.push(callback);
  }

  /**
   * Gives it back. While a process with an older claim lives, the newest one stays, marked: its epoch must not be won again before
   * that process has seen that it was passed.
   */
  release(): void {
    if (this.#state === 'released') return;
    const isLast = this.#state === 'held' && this.#isNewest();
    this.#state = 'released';
    if (isLast && this.#hasLivingElder()) writeDeadline(this.place, this.name, this.#epoch, 0);
    else removeClaim(this.place, this.name, this.#epoch);
  }

  #hasLivingElder(): boolean {
    const elders = listClaims(this.place, this.name).filter(({ epoch }) => epoch < this.#epoch);
    return clearVoid(this.place, elders).length > 0;
  }

  #isNewest(): boolean {
    const newest = listClaims(this.place, this.name).at(-1);
    if (newest && this.#isMine(newest)) return true;
    this.#successor = newest?.owner ?? this.#successor;
    return false;
  }

  #isMine({ owner }: LeaseClaim): boolean {
    return owner?.incarnation === this.#owner.incarnation;
  }

  #lose(): false {
    this.#state = 'lost';
    removeClaim(this.place, this.name, this.#epoch);
    this.#clearMark();
    for (const callback of this.#lost.splice(0)) callback(this.#successor);
    return false;
  }

  /** A successor that has given the lease back left its claim there for this process to see. No other one needs it. */
  #clearMark(): void {
    const [only, another] = listClaims(this.place, this.name);
    if (only?.deadline === 0 && !another) removeClaim(this.place, this.name, only.epoch);
  }
}

/** Removes those of these claims that were given back, or whose process is gone; returns the others. */
export function clearVoid(place: LeasePlace, claims: readonly LeaseClaim[]): LeaseClaim[] {
  return claims.filter((claim) => {
    const state = judgeClaim(claim, place.machine, () => readFileTime(place));
    const isVoid = state === 'dead' || state === 'released';
    if (isVoid) removeClaim(place, claim.name, claim.epoch);
    return !isVoid;
  });
}

/** Written aside and linked into place, so that a claim never appears without its owner, and only one process gets a number. */
export function placeClaim(
  place: LeasePlace,
  name: string,
  claim: { epoch: number; deadline: number; owner: LeaseOwner },
): 'placed' | 'taken' | Result<never> {
  const { disk, ids } = place.machine;
  const path = locateClaim(place, name, claim.epoch);
  const aside = `${path}.${formatProcessName(place.machine.self(), ids)}.new`;
  for (;;)
    try {
      const made = ensurePrivateDirectory(dirname(path), disk);
      if (!made.ok) return made;
      // Not synced: after a power loss its process is dead anyway.
      writeNew(aside, `${JSON.stringify({ ...claim.owner, deadline: claim.deadline })}\n`, disk);
      disk.link(aside, path);
      return 'placed';
    } catch (error) {
      if (getErrorCode(error) === 'EEXIST') return 'taken';
      // Another process cleared the directory meanwhile.
      if (getErrorCode(error) !== 'ENOENT') return fail(describeFileError(error, path, 'write'));
    } finally {
      removeQuietly(aside, disk);
    }
}

/** Replaced as a whole: no reader sees half a number. */
function writeDeadline(place: LeasePlace, name: string, epoch: number, deadline: number): boolean {
  const { disk, ids } = place.machine;
  const bytes = Buffer.from(`${deadline}\n`);
  try {
    const path = locateRenewal(place, name, epoch);
    replaceFile(
      path,
      { bytes, mode: 0o600, ending: `${formatProcessName(place.machine.self(), ids)}.new` },
      undefined,
      disk,
    ).close();
    return true;
  } catch {
    return false;
  }
}
