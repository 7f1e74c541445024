import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type Clock, sleep, timestamp } from '../lib/clock.ts';
import { keepDefined } from '../lib/fields/keep-defined.ts';
import { parseJson } from '../lib/fields/parse-json.ts';
import { writeAtomic } from '../lib/files/atomic.ts';
import { describeFileError, ensurePrivateDirectory } from '../lib/files/files.ts';
import { listNames } from '../lib/files/list-names.ts';
import { isThere, listQuietly, readSmallText } from '../lib/files/small-files.ts';
import { formatProcessName, isOfDead } from '../lib/files/temporary-names.ts';
import { claimLease } from '../lib/leases/claim-lease.ts';
import type { Machine } from '../lib/machine.ts';
import { fail, failure, ok, type Result, usage } from '../lib/result.ts';
import type { TeamRecord } from '../protocol/team.ts';
import { makeBox } from './mail/box-place.ts';
import { makeMailKey } from './mail/mail-key.ts';
import { openMembers } from './members.ts';
import { isTeamName, locateTeam, locateTeams, type TeamPlace } from './team-place.ts';

export interface TeamSurroundings {
  /** Cadre's own directory. */
  home: string;
  machine: Machine;
  clock: Clock;
}

export type NewTeam = Pick<TeamRecord, 'name' | 'description' | 'leaderSession' | 'cwd'>;

/** How long another process may take to make or remove a team. */
const maxWaitMs = 5_000;
const betweenLooksMs = 20;

const busy = failure('Another process creates or removes a team right now.', 'Try again.');

/** As `createTeam`, and waits for a process that makes or removes another team at this moment. */
export async function createTeamInTurn(team: NewTeam, around: TeamSurroundings): Promise<Result<TeamRecord>> {
  for (let waited = 0; ; waited += betweenLooksMs) {
    const made = createTeam(team, around);
    if (made !== busy || waited >= maxWaitMs) return made;
    await sleep(around.clock, betweenLooksMs);
  }
}

/**
 * Makes a team, with its key and the user's box. An ended team of the same name is replaced, with all that it left, once nothing of
 * it runs.
 */
export function createTeam(team: NewTeam, around: TeamSurroundings): Result<TeamRecord> {
  const { home, machine } = around;
  if (!isTeamName(team.name))
    return usage(
      `"${team.name}" is not a team name: expected letters, digits, "-", "_" and ".", starting with a letter or digit.`,
    );
  const made = ensurePrivateDirectory(locateTeams(home), machine.disk);
  if (!made.ok) return made;
  // One at a time: a second process must not take the new team for the old one that it wanted to replace.
  const claimed = claimLease({ directory: join(locateTeams(home), '.making'), machine }, 'teams');
  if (!claimed.ok) return claimed;
  if (claimed.value.state === 'held') return busy;
  try {
    clearGone(home);
    return createAlone(team, around);
  } finally {
    claimed.value.lease.release();
  }
}

function createAlone(team: NewTeam, around: TeamSurroundings): Result<TeamRecord> {
  const { home, machine, clock } = around;
  const place = locateTeam(home, team.name);
  const cleared = clearNamesake(place, around);
  if (!cleared.ok) return cleared;
  for (const directory of [place.directory, place.members, place.leases]) {
    const made = ensurePrivateDirectory(directory, machine.disk);
    if (!made.ok) return made;
  }
  const key = makeMailKey(place, machine);
  if (!key.ok) return key;
  const box = makeBox(place, 'user', machine);
  if (!box.ok) return box;
  const record: TeamRecord = keepDefined({
    format: 1 as const,
    ...team,
    id: machine.ids.uuid(),
    createdAt: timestamp(clock),
  });
  const written = writeRecord(place, record, machine);
  return written.ok ? ok(record) : written;
}

/** The team, undefined where there is none of that name. */
export function loadTeam(place: TeamPlace, { disk }: Machine): Result<TeamRecord | undefined> {
  if (!isThere(place.record, disk)) return ok(undefined);
  const found = schema.safeParse(parseJson(readSmallText(place.record, maxRecordBytes, disk) ?? '')).data;
  if (found?.name === place.name) return ok(found);
  return failure(
    `${place.record} is damaged: expected the record of team ${place.name}.`,
    `Remove ${place.directory} when nothing of that team runs any more.`,
  );
}

/** All teams, ended ones too, and what is wrong with the others. */
export function listTeams(home: string, machine: Machine): { teams: TeamRecord[]; problems: string[] } {
  const found: { teams: TeamRecord[]; problems: string[] } = { teams: [], problems: [] };
  for (const name of listQuietly(locateTeams(home), machine.disk).filter(isTeamName).sort()) {
    const team = loadTeam(locateTeam(home, name), machine);
    if (!team.ok) found.problems.push(team.problem.message);
    else if (team.value) found.teams.push(team.value);
  }
  return found;
}

/** Marks it as ended. Its mail and board can be read until a namesake replaces it. */
export function endTeam(place: TeamPlace, machine: Machine, clock: Clock): Result<TeamRecord> {
  const team = loadTeam(place, machine);
  if (!team.ok) return team;
  if (!team.value) return usage(`There is no team ${place.name}.`);
  const record = { ...team.value, endedAt: team.value.endedAt ?? timestamp(clock) };
  const written = writeRecord(place, record, machine);
  return written.ok ? ok(record) : written;
}

/** Names of members that run, the leader included. */
export function listRunning(place: TeamPlace, machine: Machine, clock: Clock): string[] {
  const members = openMembers(place, machine, clock);
  const names = [...members.list().map(({ name }) => name), ...members.listDamaged()];
  return names.filter((name) => members.isAlive(name));
}

function clearNamesake(place: TeamPlace, { home, machine, clock }: TeamSurroundings): Result<void> {
  const before = loadTeam(place, machine);
  if (!before.ok) return before;
  const running = listRunning(place, machine, clock);
  if (before.value && before.value.endedAt === undefined)
    return usage(
      `Team ${place.name} exists already${running.length === 0 ? ', and none of its members runs' : ''}.`,
      `Join it (cadre team join ${place.name}), end it (cadre team end ${place.name}), or choose another name.`,
    );
  if (running.length > 0)
    return usage(
      `Team ${place.name} has ended, but ${running.join(', ')} still runs.`,
      'Try again when it has ended, or choose another name.',
    );
  if (!isThere(place.directory, machine.disk)) return ok(undefined);
  // Moved away first: a half-removed team is never taken for one.
  const aside = join(locateTeams(home), `.gone-${formatProcessName(machine.self(), machine.ids)}`);
  try {
    machine.disk.rename(place.directory, aside);
    rmSync(aside, { recursive: true, force: true });
    return ok(undefined);
  } catch (error) {
    return fail(describeFileError(error, place.directory, 'remove'));
  }
}

/** A process was killed while it removed them. */
function clearGone(home: string): void {
  const left = listNames(locateTeams(home)).filter((name) => name.startsWith('.gone-'));
  for (const name of left) {
    const path = join(locateTeams(home), name);
    if (isOfDead(path)) rmSync(path, { recursive: true, force: true });
  }
}

const schema: z.ZodType<TeamRecord> = z.object({
  format: z.literal(1),
  name: z.string().refine(isTeamName),
  id: z.uuid(),
  description: z.string().max(10_000).optional(),
  leaderSession: z.string().max(200),
  cwd: z.string().max(10_000),
  createdAt: z.string(),
  endedAt: z.string().optional(),
});

const maxRecordBytes = 64 * 1024;

function writeRecord(place: TeamPlace, team: TeamRecord, machine: Machine): Result<void> {
  const ending = `${formatProcessName(machine.self(), machine.ids)}.tmp`;
  const text = `${JSON.stringify(team, null, 2)}\n`;
  return writeAtomic(place.record, text, 0o600, ending, undefined, machine.disk);
}
