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
export class MemberClaim {
  #record: MemberRecord;
  #sent = 0;
  readonly #mayAct: () => boolean;

  constructor(
    private readonly place: TeamPlace,
    private readonly machine: Machine,
    private readonly clock: Clock,
    private readonly lease: HeldLease,
    record: MemberRecord,
    mayAct: () => boolean,
  ) {
    this.#mayAct = mayAct;
    this.#record = record;
  }

  get name(): string {
    return this.#record.name;
  }

  get incarnation(): string {
    return this.#record.incarnation;
  }

  /** As it was last written. `wanted` is the leader's, and may have changed. */
  get record(): MemberRecord {
    return this.#record;
  }

  /** Whether the address is still held. Ask right before every act in its name. */
  check(): boolean {
    return this.#mayAct() && this.lease.check();
  }

  /** The order of its next message: above all that earlier incarnations sent. */
  nextOrder(): number {
    return this.lease.epoch * messagesPerEpoch + ++this.#sent;
  }

  /** Changes its record. A change of state gets its time. */
  update(change: MemberChange): Result<MemberRecord> {
    if (!this.check()) return failure(`${this.name}@${this.place.name} is held by another process now.`);
    const now = timestamp(this.clock);
    const isNew = change.state !== undefined && change.state !== this.#record.state;
    const record = keepDefined({
      ...this.#record,
      // The reason is that of the state.
      ...(isNew ? { reason: undefined, stateSince: now } : {}),
      ...change,
      heartbeatAt: now,
    });
    const written = changeMemberRecord(this.place, record, this.machine);
    if (!written.ok) return written;
    this.#record = record;
    return ok(record);
  }

  /** Gives the address back, as ended unless said otherwise. */
  release(state: 'ended' | 'suspended' = 'ended', reason?: string): void {
    this.update(keepDefined({ state, reason }));
    findKeeper(this.clock).drop(this.lease);
    this.lease.release();
  }
}

/** Both parts stay whole numbers that JSON keeps: two million incarnations of four billion messages. */
const messagesPerEpoch = 2 ** 32;
