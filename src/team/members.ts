import { join } from 'node:path';
import { type Clock, timestamp } from '../lib/clock.ts';
import { keepDefined } from '../lib/fields/keep-defined.ts';
import { describeFileError, ensurePrivateDirectory } from '../lib/files/files.ts';
import { listQuietly, readSmallText, writeNew } from '../lib/files/small-files.ts';
import { claimLease, lookAtLease } from '../lib/leases/claim-lease.ts';
import type { LeaseClaim } from '../lib/leases/claims.ts';
import { findKeeper } from '../lib/leases/keeper.ts';
import type { HeldLease } from '../lib/leases/lease.ts';
import type { Machine } from '../lib/machine.ts';
import { fail, failure, getErrorCode, ok, type Result, usage } from '../lib/result.ts';
import { compareText } from '../lib/text/compare-text.ts';
import { leaderName, type MemberRecord } from '../protocol/team.ts';
import { MemberClaim } from './held-member.ts';
import { makeBox } from './mail/box-place.ts';
import { changeMemberRecord, readMemberRecord, writeMemberRecord, writeWanted } from './member-record.ts';
import { isMemberName, isReservedName, nameMemberLease } from './names.ts';
import type { TeamPlace } from './team-place.ts';

/** What the holder of an address says about itself. */
export type MemberFacts = Pick<
  MemberRecord,
  'kind' | 'agentId' | 'sessionId' | 'agentType' | 'description' | 'model' | 'tools' | 'cwd' | 'pane'
>;

/** `mayAct`: false once another process has the session that acts for these members; then nothing of theirs is written. */
export function openMembers(
  place: TeamPlace,
  machine: Machine,
  clock: Clock,
  mayAct: () => boolean = () => true,
): Members {
  return new Members(place, machine, clock, mayAct);
}

/** The members of a team. A member whose incarnation no longer holds its address is shown as dead, unless it ended. */
export class Members {
  readonly #mayAct: () => boolean;

  constructor(
    private readonly place: TeamPlace,
    private readonly machine: Machine,
    private readonly clock: Clock,
    mayAct: () => boolean,
  ) {
    this.#mayAct = mayAct;
  }

  /** A member that the leader no longer wants stays so: a leader that starts it again says `want` first. */
  claim(name: string, facts: MemberFacts): Result<MemberClaim> {
    const fault = this.#findFault(name, facts);
    if (fault) return fault;
    const made = this.#makePlaces(name);
    if (!made.ok) return made;
    const claimed = claimLease(this.#leases, nameMemberLease(name));
    if (!claimed.ok) return claimed;
    if (claimed.value.state === 'held')
      return failure(
        `${name}@${this.place.name} is held by another process${describeOwner(claimed.value.by?.pid)}.`,
        'Choose another name, or end that member first.',
      );
    const { lease } = claimed.value;
    const opened = this.#open(name, facts, lease);
    if (!opened.ok) lease.release();
    return opened;
  }

  read(name: string): MemberRecord | undefined {
    if (!isMemberName(name)) return undefined;
    const record = readMemberRecord(this.place, name, this.machine);
    const isMember = typeof record === 'object' && record.name === name && !record.withdrawn;
    return isMember ? this.#bringUpToDate(record) : undefined;
  }

  /** Records in `held` are taken as they are. */
  list(held?: ReadonlyMap<string, MemberRecord>): MemberRecord[] {
    return this.#listNames()
      .flatMap((name) => held?.get(name) ?? this.read(name) ?? [])
      .sort(
        (one, other) =>
          Date.parse(one.joinedAt) - Date.parse(other.joinedAt) || compareText(one.name, other.name),
      );
  }

  /** Names whose record is damaged. They can be claimed again. */
  listDamaged(): string[] {
    return this.#listNames().filter((name) => {
      const record = readMemberRecord(this.place, name, this.machine);
      return typeof record !== 'object' || record.name !== name;
    });
  }

  /** The leader's word on whether a member should run. */
  want(name: string, wanted: MemberRecord['wanted']): Result<void> {
    const record = this.read(name);
    if (!record) return usage(`There is no ${name} in team ${this.place.name}.`);
    if (record.wanted === wanted) return ok(undefined);
    return writeWanted(this.place, name, wanted, this.machine);
  }

  /**
   * Its start has failed: the member is what it was before, and none if it was not there. Not for one that is alive. The number of its
   * incarnation stays used.
   */
  withdraw(name: string, before: MemberRecord | undefined): Result<void> {
    const record = this.read(name);
    if (!record || this.isAlive(name)) return ok(undefined);
    const { incarnation } = record;
    if (before) writeWanted(this.place, name, before.wanted, this.machine);
    return writeMemberRecord(
      this.place,
      before
        ? { ...before, incarnation, state: isOver.has(before.state) ? before.state : 'ended' }
        : { ...record, state: 'ended', withdrawn: true },
      this.machine,
    );
  }

  /** Its process never took its place, or could not say how it ended. Not for one that is alive. */
  conclude(name: string, reason: string): Result<void> {
    const record = this.read(name);
    if (!record || this.isAlive(name)) return ok(undefined);
    const stateSince = timestamp(this.clock);
    return changeMemberRecord(this.place, { ...record, state: 'ended', reason, stateSince }, this.machine);
  }

  /** Whether anything holds the address; with an incarnation, whether that one does. */
  isAlive(name: string, incarnation?: string): boolean {
    const holder = this.findIncarnation(name);
    return holder !== undefined && (incarnation === undefined || incarnation === holder);
  }

  /** The incarnation that holds the address now. */
  findIncarnation(name: string): string | undefined {
    const standing = lookAtLease(this.#leases, nameMemberLease(name));
    return standing?.state === 'held' ? formatIncarnation(standing.claim) : undefined;
  }

  get #leases() {
    return { directory: this.place.leases, machine: this.machine };
  }

  #findFault(name: string, { kind }: MemberFacts): Result<never> | undefined {
    if (kind === 'lead' ? name !== leaderName : isReservedName(name))
      return usage(`"${name}" is reserved: a teammate needs another name.`);
    if (!isMemberName(name))
      return usage(
        `"${name}" is not a name: expected letters, digits, "-", "_" and ".", starting with a letter.`,
      );
    const record = readMemberRecord(this.place, name, this.machine);
    if (typeof record === 'object' && record.name !== name)
      return usage(`${name} and ${record.name} are the same file on this disk.`, 'Choose another name.');
    const namesake = this.#listNames().find((one) => one !== name && isSameName(one, name));
    if (namesake !== undefined && this.read(namesake))
      return usage(`There is a member ${namesake} already.`, 'A name must differ by more than its case.');
    return undefined;
  }

  #makePlaces(name: string): Result<void> {
    for (const directory of [this.place.members, this.place.leases]) {
      const made = ensurePrivateDirectory(directory, this.machine.disk);
      if (!made.ok) return made;
    }
    return makeBox(this.place, name, this.machine);
  }

  /** The record remembers epochs that the leases forgot: a released claim is removed. */
  #open(name: string, facts: MemberFacts, lease: HeldLease): Result<MemberClaim> {
    const found = readMemberRecord(this.place, name, this.machine);
    const last = typeof found === 'object' ? found : undefined;
    const raised = lease.raise(readEpoch(last?.incarnation) + 1);
    if (!raised.ok) return raised;
    const incarnation = this.findIncarnation(name);
    if (incarnation === undefined || !lease.check())
      return failure(`${name}@${this.place.name} was taken over.`);
    const before = last?.withdrawn ? undefined : last;
    const colour = last ? ok(last.colour) : takeColour(this.place, name, this.machine);
    if (!colour.ok) return colour;
    const now = timestamp(this.clock);
    const record: MemberRecord = keepDefined({
      ...facts,
      ...{ format: 1 as const, name, team: this.place.name, incarnation, colour: colour.value },
      ...{
        wanted: (before?.wanted ?? 'running') as MemberRecord['wanted'],
        state: 'starting' as const,
        stateSince: now,
        heartbeatAt: now,
      },
      ...{ joinedAt: before?.joinedAt ?? now, lastReport: before?.lastReport },
    });
    const written = writeMemberRecord(this.place, record, this.machine);
    if (!written.ok) return written;
    findKeeper(this.clock).keep(lease);
    return ok(new MemberClaim(this.place, this.machine, this.clock, lease, record, this.#mayAct));
  }

  #listNames(): string[] {
    return listQuietly(this.place.members, this.machine.disk)
      .filter((file) => file.endsWith('.json') && !file.startsWith('.'))
      .map((file) => file.slice(0, -'.json'.length))
      .filter(isMemberName);
  }

  #bringUpToDate(record: MemberRecord): MemberRecord {
    const standing = lookAtLease(this.#leases, nameMemberLease(record.name));
    const isHolder = standing?.state === 'held' && formatIncarnation(standing.claim) === record.incarnation;
    if (isHolder) return { ...record, heartbeatAt: new Date(standing.claim.renewedAt).toISOString() };
    return isOver.has(record.state) ? record : { ...record, state: 'dead' };
  }
}

const isOver: ReadonlySet<MemberRecord['state']> = new Set(['ended', 'suspended'] as const);

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

function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** The first for the leader. */
export const palette = ['cyan', 'green', 'yellow', 'purple', 'blue', 'orange', 'pink', 'red'] as const;

/**
 * A member's colour: always the same, and different from all others until the palette is used up. One file per colour, made by
 * the first member that takes it.
 */
function takeColour(place: TeamPlace, member: string, { disk }: Machine): Result<string> {
  const directory = join(place.members, 'colours');
  const made = ensurePrivateDirectory(directory, disk);
  if (!made.ok) return made;
  for (const colour of palette) {
    const path = join(directory, colour);
    try {
      writeNew(path, `${member}\n`, disk);
      return ok(colour);
    } catch (error) {
      if (getErrorCode(error) !== 'EEXIST') return fail(describeFileError(error, path, 'write'));
      if (readSmallText(path, 200, disk)?.trim() === member) return ok(colour);
    }
  }
  return ok(spread(member));
}

/** Any of them, but always the same for one name. */
function spread(member: string): string {
  let sum = 0;
  for (const character of member) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 65_521;
  return palette[sum % palette.length] ?? palette[0];
}
