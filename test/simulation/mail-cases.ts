import { manualClock } from '../../src/lib/clock.ts';
import type { Disk } from '../../src/lib/files/disk.ts';
import { memoryDisk } from '../../src/lib/files/memory-disk.ts';
import type { Machine } from '../../src/lib/machine.ts';
import { makeBox } from '../../src/team/mail/box-place.ts';
import { type BoxNews, openMailbox } from '../../src/team/mail/mailbox.ts';
import { openPost } from '../../src/team/mail/post-mail.ts';
import { openMembers } from '../../src/team/members.ts';
import { locateTeam } from '../../src/team/team-place.ts';
import { createTeam } from '../../src/team/team-record.ts';
import { facts, memoryMachine, value } from '../team/support.ts';
import type { Choose } from './explore.ts';
import { interleave, type Limits, type Program } from './interleave.ts';

const place = locateTeam('/home', 'web');
const clock = manualClock();

/** Sends this many messages to Bob; each is noted once the answer says that it is in the box. */
function poster(name: string, count: number): Program {
  return (given, note) => {
    const machine = { ...given, ids: { ...given.ids, uuid: countUuids(name) } };
    const post = value(openPost(place, { machine, clock }));
    let order = 0;
    const sender = { name, incarnation: `1-${name}`, check: () => true, nextOrder: () => ++order };
    for (let index = 0; index < count; index++) {
      const text = `${name}${index}`;
      if (post.sendNow({ to: 'bob', kind: 'text', text }, sender).ok) note(`sent ${text}`);
    }
  };
}

function countUuids(name: string): () => string {
  let next = 0;
  const own = Buffer.from(name).toString('hex').padStart(4, '0');
  return () => `00000000-0000-4000-8000-${own}${(++next).toString(16).padStart(8, '0')}`;
}

/** Reads Bob's box: what it has not heard before goes to its transcript, and is then noted as delivered. */
function reader(before: ReadonlySet<string>, change: (disk: Disk) => Disk = (disk) => disk): Program {
  const known = [...before];
  return (machine, note) => {
    const heard = new Set(known);
    const changed = { ...machine, disk: change(machine.disk) };
    const bob = { name: 'bob', incarnation: '1-bob', check: () => true };
    const tell = (news: BoxNews) =>
      note(news.kind === 'void' ? 'void' : `quarantined ${news.file}: ${news.reason}`);
    const box = value(openMailbox(place, bob, { machine: changed, clock, tell }));
    for (let looks = 0; looks < 2; looks++)
      for (const { id, text } of box.look()) {
        if (!heard.has(id)) note(`hears ${text} ${id}`);
        heard.add(id);
        box.noteDelivered(id);
      }
  };
}

/** A listing takes time: of the names that come meanwhile some are in it, and some are not. */
export function slowList(disk: Disk): Disk {
  return {
    ...disk,
    list(path) {
      const before = disk.list(path);
      return disk.list(path).filter((name) => before.includes(name) || /^\d*[02468]-/.test(name));
    },
  };
}

/** A planted fault: a look that lists once, and takes that for the whole. */
export function listOnce(disk: Disk): Disk {
  let kept: { path: string; names: string[] } | undefined;
  return {
    ...disk,
    list(path) {
      if (kept?.path === path) {
        const { names } = kept;
        kept = undefined;
        return names;
      }
      const names = disk.list(path);
      kept = names.length > 0 && path.endsWith('/new') ? { path, names } : undefined;
      return names;
    },
  };
}

/** Two processes send and one reads, in one order of all their operations. Returns why it is wrong. */
export function playMail(
  choose: Choose,
  limits: Limits,
  change: (disk: Disk) => Disk = slowList,
): string | undefined {
  const disk = memoryDisk({ now: () => 1_000 });
  const machine = setUp(disk);
  const heard = new Set<string>();
  const notes: string[] = [];
  const note = (who: string, what: string) => {
    notes.push(`${who} ${what}`);
    const [, id] = /^hears \S+ (\S+)$/.exec(what) ?? [];
    if (id) heard.add(id);
  };
  const programs = { A: poster('A', 2), B: poster('B', 1), R: reader(heard, change) };
  interleave({ disk, uptime: () => 1_000, note }, programs, choose, limits);
  // Started again, if it was killed, and with nobody beside it.
  reader(heard)(machine, (what) => note('R', what));
  return judge(notes);
}

function setUp(disk: Disk): Machine {
  const machine = memoryMachine(disk);
  value(createTeam({ name: 'web', leaderSession: 's', cwd: '/repo' }, { home: '/home', machine, clock }));
  value(makeBox(place, 'bob', machine));
  return machine;
}

/** All that was sent is heard once, each sender's in order, and nothing was taken for damaged. */
function judge(notes: readonly string[]): string | undefined {
  const pick = (pattern: RegExp) => notes.flatMap((note) => pattern.exec(note)?.[1] ?? []);
  const sent = pick(/^\w+ sent (\w+)$/);
  const heard = pick(/^R hears (\w+) /);
  const story = () => notes.join(', ');
  const lost = sent.filter((text) => !heard.includes(text));
  if (lost.length > 0) return `lost ${lost.join()}: ${story()}`;
  if (new Set(heard).size < heard.length) return `heard twice: ${story()}`;
  if (heard.includes('A1') && heard.indexOf('A0') > heard.indexOf('A1')) return `out of order: ${story()}`;
  return notes.some((note) => /quarantined|void/.test(note)) ? `not believed: ${story()}` : undefined;
}

/** One process after another holds an address and sends; one may be killed at any operation. */
export function playClaims(choose: Choose, limits: Limits): string | undefined {
  const disk = memoryDisk({ now: () => 1_000 });
  setUp(disk);
  const notes: { who: string; epoch: number; order: number }[] = [];
  const holder: Program = (given, note) => {
    const machine = { ...given, ids: { ...given.ids, uuid: countUuids('h') } };
    const claim = openMembers(place, machine, clock).claim('ann', facts);
    if (!claim.ok) return;
    const sent = value(openPost(place, { machine, clock })).sendNow(
      { to: 'bob', kind: 'text', text: '' },
      claim.value,
    );
    if (sent.ok) note(`${Number.parseInt(claim.value.incarnation, 10)} ${sent.value.order}`);
    claim.value.release();
  };
  const note = (who: string, what: string) => {
    const [epoch = 0, order = 0] = what.split(' ').map(Number);
    if (what !== 'killed') notes.push({ who, epoch, order });
  };
  interleave({ disk, uptime: () => 1_000, note }, { A: holder, B: holder }, choose, limits);
  const [first, second] = notes;
  if (!first || !second) return undefined;
  return second.epoch > first.epoch && second.order > first.order ? undefined : JSON.stringify(notes);
}
