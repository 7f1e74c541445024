import { manualClock } from '../../src/lib/clock.ts';
import type { Disk } from '../../src/lib/files/disk.ts';
import { memoryDisk } from '../../src/lib/files/memory-disk.ts';
import { readJsonlTail } from '../../src/lib/jsonl/jsonl.ts';
import { leaseMs } from '../../src/lib/leases/lease.ts';
import type { Machine } from '../../src/lib/machine.ts';
import { type HeaderRecord, transcriptFormat } from '../../src/protocol/record.ts';
import { SessionLog } from '../../src/session/log.ts';
import { claimSession, type SessionClaim } from '../../src/session/owner.ts';
import { EpochOrder } from '../../src/store/epoch-order.ts';
import { makeEpochRecord } from '../../src/store/fence.ts';
import type { Choose } from './explore.ts';
import { interleave, type Limits, type Program } from './interleave.ts';
import { cwd, home, identify, sessionId, transcriptPath } from './session.ts';

const clock = manualClock();
const header: HeaderRecord = {
  ...{ type: 'cadre-transcript', format: transcriptFormat, sessionId, cwd, version: '', createdAt: '' },
};

function claim(machine: Machine): SessionClaim | undefined {
  const { directory } = identify(true).files;
  const claimed = claimSession({
    ...{ home, sessionId, directory, transcript: transcriptPath, machine, clock: manualClock(), sweep() {} },
  });
  return claimed.ok ? claimed.value : undefined;
}

/** Opens the session as a resuming process does, and says what it read. */
function resume(machine: Machine, note: (what: string) => void): SessionLog | undefined {
  const held = claim(machine);
  if (!held) return undefined;
  const { titles, newest } = readTitles(machine.disk);
  const isClosed = held.isClosedToEarlier && newest === held.epoch;
  if (!isClosed && !held.raise(newest).ok) return undefined;
  note(`read ${titles.join(' ')}`);
  return new SessionLog({
    ...{ path: transcriptPath, header, exists: true, persist: true, clock, disk: machine.disk, fence: held },
    prologue: held.isClosedToEarlier ? [] : [makeEpochRecord(held, clock)],
  });
}

/** Titles stand for all kinds of records: they are the smallest. */
function write(log: SessionLog, title: string, note: (what: string) => void): void {
  const written = log.append({ type: 'custom-title', customTitle: title, sessionId });
  if (written.ok) note(`announced ${title}`);
}

/** What any reader accepts. */
function readTitles(disk: Disk): { titles: string[]; newest: number } {
  const read = readJsonlTail(transcriptPath, Number.MAX_SAFE_INTEGER, undefined, undefined, disk);
  const records: Record<string, unknown>[] = [];
  const order = new EpochOrder<Record<string, unknown>>({
    accept: (record) => void records.push(record),
    ignoreLate() {},
    reportWrong() {},
  });
  for (const record of read.ok ? read.value.records : []) order.add(record, record);
  order.end();
  return {
    titles: records.flatMap(({ customTitle }) => customTitle ?? []).map(String),
    newest: order.newest,
  };
}

const writer =
  (name: string): Program =>
  (machine, note) => {
    const log = resume(machine, note);
    if (!log) return;
    write(log, `${name}1`, note);
    write(log, `${name}2`, note);
  };

/** Whoever is in the middle of something when this comes was stopped for so long. */
const time: Program = (_, note) => note('passes');

export type FenceCase = 'wake and take over' | 'wake, take over and take over';

/** One order of all operations of writers of one transcript; at any moment more time passes than a lease lasts. */
export function playFence(
  name: FenceCase,
  choose: Choose,
  limits: Limits,
  plant: (disk: Disk) => Disk = (disk) => disk,
): string | undefined {
  let now = 1_000;
  const notes: string[] = [];
  const disk = memoryDisk({ now: () => now });
  const file = prepare(disk);
  const stage = {
    disk: plant(disk),
    uptime: () => now,
    note(who: string, what: string) {
      notes.push(`${who} ${what}`);
      if (what === 'passes') now += 2 * leaseMs;
    },
  };
  const two = { A: writer('A'), B: writer('B'), time };
  interleave(stage, name === 'wake and take over' ? two : { ...two, C: writer('C') }, choose, limits);
  file.close();
  return judge(notes, readTitles(stage.disk).titles);
}

function prepare(disk: Disk) {
  disk.makeDirectory(transcriptPath.slice(0, transcriptPath.lastIndexOf('/')));
  const file = disk.open(transcriptPath, { access: 'append', create: 'new' });
  file.write(Buffer.from(`${JSON.stringify(header)}\n`), 0);
  return file;
}

/** What was announced is there, and every writer had read what is there before its own. */
function judge(notes: readonly string[], titles: readonly string[]): string | undefined {
  const tell = (what: string) => `${what}: ${notes.join(', ')}; the transcript has ${titles.join(' ')}`;
  for (const note of notes) {
    const [who = '', what, ...words] = note.split(' ');
    if (what === 'announced' && !words.every((title) => titles.includes(title)))
      return tell(`${words} was announced and is lost`);
    const first = titles.findIndex((title) => title.startsWith(who));
    if (what !== 'read' || first < 0) continue;
    const unread = titles.slice(0, first).filter((title) => !words.includes(title));
    if (unread.length > 0) return tell(`${who} has not read ${unread}`);
  }
  return undefined;
}
