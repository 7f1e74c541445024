import { type Clock, timestamp } from '../lib/clock.ts';
import { keepDefined } from '../lib/fields/keep-defined.ts';
import { ensurePrivateDirectory } from '../lib/files/files.ts';
import { claimLease, lookAtLease } from '../lib/leases/claim-lease.ts';
import type { LeaseClaim } from '../lib/leases/claims.ts';
import { findKeeper } from '../lib/leases/keeper.ts';
import type { HeldLease } from '../lib/leases/lease.ts';
import type { Machine } from '../lib/machine.ts';
import { failure, ok, type Result, usage } from '../lib/result.ts';
import { leaderName, type MemberRecord } from '../protocol/team.ts';
import { takeColour } from './colours.ts';
import { makeBox } from './mail/box-place.ts';
import { changeMemberRecord, readMemberRecord, writeMemberRecord, writeWanted } from './member-record.ts';
import { isMemberName, nameMemberLease, reservedNames } from './names.ts';
import type { TeamPlace } from './team-place.ts';

/** What the holder of an address says about itself. */
export type MemberFacts = Pick<
  MemberRecord,
  'kind' | 'agentId' | 'sessionId' | 'agentType' | 'description' | 'model' | 'tools' | 'cwd' | 'pane'
>;

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
  >
>;

/** One incarnation of a member: the right to be its address until it is released or lost. Also the sender and reader of its mail. */
export interface MemberClaim {
  readonly name: string;
  readonly incarnation: string;
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

/** The members of a team. A member whose incarnation no longer holds its address is shown as dead, unless it ended. */
export interface Members {
  /** A member that the leader no longer wants stays so: a leader that starts it again says `want` first. */
  claim(name: string, facts: MemberFacts): Result<MemberClaim>;
  read(name: string): MemberRecord | undefined;
  list(): MemberRecord[];
  /** Names whose record is damaged. They can be claimed again. */
  listDamaged(): string[];
  /** The leader's word on whether a member should run. */
  want(name: string, wanted: MemberRecord['wanted']): Result<void>;
  /** Whether anything holds the address; with an incarnation, whether that one does. */
  isAlive(name: string, incarnation?: string): boolean;
  /** The incarnation that holds the address now. */
  findIncarnation(name: string): string | undefined;
}

/** `mayAct`: false once another process has the session that acts for these members; then nothing of theirs is written. */
export function openMembers(
  place: TeamPlace,
  machine: Machine,
  clock: Clock,
  mayAct: () => boolean = () => true,
): Members {
  return new TeamMembers(place, machine, clock, mayAct);
}

class TeamMembers implements Members {
  readonly #place: TeamPlace;
  readonly #machine: Machine;
  readonly #clock: Clock;
  readonly #mayAct: () => boolean;

  constructor(place: TeamPlace, machine: Machine, clock: Clock, mayAct: () => boolean) {
    this.#place = place;
    this.#machine = machine;
    this.#clock = clock;
    this.#mayAct = mayAct;
  }

  claim(name: string, facts: MemberFacts): Result<MemberClaim> {
    const fault = this.#findFault(name, facts);
    if (fault) return fault;
    const made = this.#makePlaces(name);
    if (!made.ok) return made;
    const claimed = claimLease(this.#leases, nameMemberLease(name));
    if (!claimed.ok) return claimed;
    if (claimed.value.state === 'held')
      return failure(
        `${name}@${this.#place.name} is held by another process${describeOwner(claimed.value.by?.pid)}.`,
        'Choose another name, or end that member first.',
      );
    const { lease } = claimed.value;
    const opened = this.#open(name, facts, lease);
    if (!opened.ok) lease.release();
    return opened;
  }

  read(name: string): MemberRecord | undefined {
    if (!isMemberName(name)) return undefined;
    const record = readMemberRecord(this.#place, name, this.#machine);
    return typeof record === 'object' && record.name === name ? this.#bringUpToDate(record) : undefined;
  }

  list(): MemberRecord[] {
    return this.#listNames()
      .flatMap((name) => this.read(name) ?? [])
      .sort(
        (one, other) =>
          Date.parse(one.joinedAt) - Date.parse(other.joinedAt) || compare(one.name, other.name),
      );
  }

  listDamaged(): string[] {
    return this.#listNames().filter((name) => this.read(name) === undefined);
  }

  want(name: string, wanted: MemberRecord['wanted']): Result<void> {
    if (!this.read(name)) return usage(`There is no ${name} in team ${this.#place.name}.`);
    return writeWanted(this.#place, name, wanted, this.#machine);
  }

  isAlive(name: string, incarnation?: string): boolean {
    const holder = this.findIncarnation(name);
    return holder !== undefined && (incarnation === undefined || incarnation === holder);
  }

  findIncarnation(name: string): string | undefined {
    const standing = lookAtLease(this.#leases, nameMemberLease(name));
    return standing?.state === 'held' ? formatIncarnation(standing.claim) : undefined;
  }

  get #leases() {
    return { directory: this.#place.leases, machine: this.#machine };
  }

  #findFault(name: string, { kind }: MemberFacts): Result<never> | undefined {
    if (kind === 'lead' ? name !== leaderName : reservedNames.includes(name))
      return usage(`"${name}" is reserved: a teammate needs another name.`);
    if (!isMemberName(name))
      return usage(
        `"${name}" is not a name: expected letters, digits, "-", "_" and ".", starting with a letter.`,
      );
    const record = readMemberRecord(this.#place, name, this.#machine);
    if (typeof record === 'object' && record.name !== name)
      return usage(`${name} and ${record.name} are the same file on this disk.`, 'Choose another name.');
    return undefined;
  }

  #makePlaces(name: string): Result<void> {
    for (const directory of [this.#place.members, this.#place.leases]) {
      const made = ensurePrivateDirectory(directory, this.#machine.disk);
      if (!made.ok) return made;
    }
    return makeBox(this.#place, name, this.#machine);
  }

  /** The record remembers epochs that the leases forgot: a released claim is removed. */
  #open(name: string, facts: MemberFacts, lease: HeldLease): Result<MemberClaim> {
    const found = readMemberRecord(this.#place, name, this.#machine);
    const before = typeof found === 'object' ? found : undefined;
    const raised = lease.raise(readEpoch(before?.incarnation) + 1);
    if (!raised.ok) return raised;
    const incarnation = this.findIncarnation(name);
    if (incarnation === undefined || !lease.check())
      return failure(`${name}@${this.#place.name} was taken over.`);
    const colour = before ? ok(before.colour) : takeColour(this.#place, name, this.#machine);
    if (!colour.ok) return colour;
    const now = timestamp(this.#clock);
    const record: MemberRecord = keepDefined({
      ...facts,
      ...{ format: 1 as const, name, team: this.#place.name, incarnation, colour: colour.value },
      ...{
        wanted: (before?.wanted ?? 'running') as MemberRecord['wanted'],
        state: 'starting' as const,
        stateSince: now,
        heartbeatAt: now,
      },
      ...{ joinedAt: before?.joinedAt ?? now, lastReport: before?.lastReport },
    });
    const written = writeMemberRecord(this.#place, record, this.#machine);
    if (!written.ok) return written;
    findKeeper(this.#clock).keep(lease);
    return ok(new HeldMember(this.#place, this.#machine, this.#clock, lease, record, this.#mayAct));
  }

  #listNames(): string[] {
    try {
      return this.#machine.disk
        .list(this.#place.members)
        .filter((file) => file.endsWith('.json') && !file.startsWith('.'))
        .map((file) => file.slice(0, -'.json'.length))
        .filter(isMemberName);
    } catch {
      return [];
    }
  }

  #bringUpToDate(record: MemberRecord): MemberRecord {
    const standing = lookAtLease(this.#leases, nameMemberLease(record.name));
    const isHolder = standing?.state === 'held' && formatIncarnation(standing.claim) === record.incarnation;
    if (isHolder) return { ...record, heartbeatAt: new Date(standing.claim.renewedAt).toISOString() };
    return isOver.has(record.state) ? record : { ...record, state: 'dead' };
  }
}

const isOver: ReadonlySet<MemberRecord['state']> = new Set(['ended', 'suspended'] as const);

class HeldMember implements MemberClaim {
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

function formatIncarnation({ epoch, owner }: LeaseClaim): string {
  return `${epoch}-${owner?.incarnation ?? ''}`;
}

function readEpoch(incarnation = ''): number {
  const epoch = Number.parseInt(incarnation, 10);
  return Number.isSafeInteger(epoch) ? epoch : 0;
}

function describeOwner(pid: number | undefined): string {
  return pid === undefined ? '' : ` (process ${pid})`;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
