import { type Clock, timestamp } from '../lib/clock.ts';
import { keepDefined } from '../lib/fields/keep-defined.ts';
import { findKeeper } from '../lib/leases/keeper.ts';
import type { HeldLease } from '../lib/leases/lease.ts';
import type { Machine } from '../lib/machine.ts';
import { failure, ok, type Result } from '../lib/result.ts';
import type { MemberRecord } from '../protocol/team.ts';
import { changeMemberRecord } from './member-record.ts';
import type { TeamPlace } from './team-place.ts';

export type MemberChange = Partial<
  Pick<
    MemberRecord,
    | 'state'
    | 'reason'
    | 'lastReport'
    | 'pane'
    | 'agentId'
    | 'agentType'
    | 'model'
    | 'tools'
    | 'cwd'
    | 'description'
    | 'permissionMode'
    | 'waits'
  >
>;

/** One incarnation of a member: the right to be its address until it is released or lost. Also the sender and reader of its mail. */
export interface MemberClaim {
  readonly name: string;
  readonly incarnation: string;
  /** As it was last written. `wanted` is the leader's, and may have changed. */
  readonly record: MemberRecord;
  /** Whether the address is still held. Ask right before every act in its name. */
  check(): boolean;
  /** The order of its next message: above all that earlier incarnations sent. */
  nextOrder(): number;
  onLost(callback: () => void): void;
  /** Changes its record. A change of state gets its time. */
  update(change: MemberChange): Result<MemberRecord>;
  /** Gives the address back, as ended unless said otherwise. */
  release(state?: 'ended' | 'suspended', reason?: string): void;
}

export class HeldMember implements MemberClaim {
  readonly #place: TeamPlace;
  readonly #machine: Machine;
  readonly #clock: Clock;
  readonly #lease: HeldLease;
  #record: MemberRecord;
  #sent = 0;
  readonly #mayAct: () => boolean;

  constructor(
    place: TeamPlace,
    machine: Machine,
    clock: Clock,
    lease: HeldLease,
    record: MemberRecord,
    mayAct: () => boolean,
  ) {
    this.#mayAct = mayAct;
    this.#place = place;
    this.#machine = machine;
    this.#clock = clock;
    this.#lease = lease;
    this.#record = record;
  }

  get name(): string {
    return this.#record.name;
  }

  get incarnation(): string {
    return this.#record.incarnation;
  }

  get record(): MemberRecord {
    return this.#record;
  }

  check(): boolean {
    return this.#mayAct() && this.#lease.check();
  }

  nextOrder(): number {
    return this.#lease.epoch * messagesPerEpoch + ++this.#sent;
  }

  onLost(callback: () => void): void {
    this.#lease.onLost(callback);
  }

  update(change: MemberChange): Result<MemberRecord> {
    if (!this.check()) return failure(`${this.name}@${this.#place.name} is held by another process now.`);
    const now = timestamp(this.#clock);
    const isNew = change.state !== undefined && change.state !== this.#record.state;
    const record = keepDefined({
      ...this.#record,
      // The reason is that of the state.
      ...(isNew ? { reason: undefined, stateSince: now } : {}),
      ...change,
      heartbeatAt: now,
    });
    const written = changeMemberRecord(this.#place, record, this.#machine);
    if (!written.ok) return written;
    this.#record = record;
    return ok(record);
  }

  release(state: 'ended' | 'suspended' = 'ended', reason?: string): void {
    this.update(keepDefined({ state, reason }));
    findKeeper(this.#clock).drop(this.#lease);
    this.#lease.release();
  }
}

/** Both parts stay whole numbers that JSON keeps: two million incarnations of four billion messages. */
const messagesPerEpoch = 2 ** 32;
