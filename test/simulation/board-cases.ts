import { manualClock } from '../../src/lib/clock.ts';
import type { Disk } from '../../src/lib/files/disk.ts';
import { memoryDisk } from '../../src/lib/files/memory-disk.ts';
import type { Machine } from '../../src/lib/machine.ts';
import { type Board, openBoard } from '../../src/team/board/board.ts';
import { findLoop } from '../../src/team/board/links.ts';
import { memoryMachine } from '../team/support.ts';
import type { Choose } from './explore.ts';
import { interleave, type Limits, type Program } from './interleave.ts';

export type BoardCase = 'claim and claim' | 'claim and many changes' | 'links from both sides';

const clock = manualClock(Date.parse('2026-01-01T00:00:00Z'));
const first = 'first';
const second = 'second';
const changes = 6;

function openFor(machine: Machine): Board {
  return openBoard({ directory: '/board', machine, clock, isShared: false });
}

const claimant =
  (name: string): Program =>
  (machine, note) => {
    if (openFor(machine).claim(first, { name, incarnation: `1-${name}` }).ok) note('won');
  };

/** So many that revisions are removed, which a slower process may be about to write. */
const editor: Program = (machine, note) => {
  const board = openFor(machine);
  for (let turn = 1; turn <= changes; turn++)
    if (board.change(first, { metadata: { turn } }, { name: 'editor' }).ok) note(`turn ${turn}`);
};

const linker =
  (from: string, to: string): Program =>
  (machine, note) => {
    if (openFor(machine).change(from, { addBlocks: [to] }, { name: from }).ok) note('linked');
  };

const programs: Record<BoardCase, Record<string, Program>> = {
  'claim and claim': { A: claimant('A'), B: claimant('B') },
  'claim and many changes': { A: claimant('A'), B: editor },
  'links from both sides': { A: linker(first, second), B: linker(second, first) },
};

/** One order of all operations of a small case. Returns why it is wrong. */
export function playBoard(
  name: BoardCase,
  choose: Choose,
  limits: Limits,
  plant: (disk: Disk) => Disk = (disk) => disk,
): string | undefined {
  const disk = memoryDisk({ now: () => clock.now() });
  const after = openFor(memoryMachine(disk));
  for (const id of [first, second]) after.create({ subject: id }, { name: 'team-lead' }, id);
  const notes: string[] = [];
  const note = (who: string, what: string) => void notes.push(`${who} ${what}`);
  interleave({ disk: plant(disk), uptime: () => 1_000, note }, programs[name], choose, limits);
  const fault = judgeBoard(openFor(memoryMachine(disk)), notes);
  return fault === undefined ? undefined : `${fault}: ${notes.join(', ')}`;
}

/** A win is on disk and nobody else's, no change that was confirmed is lost, and no items block each other. */
function judgeBoard(board: Board, notes: readonly string[]): string | undefined {
  const items = board.list();
  const item = items.find(({ id }) => id === first);
  if (!item || items.length !== 2) return 'an item is lost';
  const winners = notes.filter((note) => note.endsWith(' won')).map((note) => note.slice(0, 1));
  if (winners.length > 1) return 'won twice';
  if (winners[0] !== undefined && item.owner !== winners[0])
    return `${winners[0]} won, and ${item.owner} has it`;
  const turns = notes.flatMap((note) => /turn (\d+)/.exec(note)?.[1] ?? []);
  const last = Number(turns.at(-1) ?? 0);
  if (Number(item.metadata.turn ?? 0) < last) return `turn ${last} is lost`;
  return findLoop(items, 'blocks', first) ? 'the items block each other' : undefined;
}

/** A disk on which every file seems to exist: a removed revision is then not noticed. */
export function seemsThere(disk: Disk): Disk {
  return { ...disk, stat: (path) => disk.stat(path) ?? disk.stat('/') };
}
