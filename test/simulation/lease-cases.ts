import type { Disk } from '../../src/lib/files/disk.ts';
import { memoryDisk } from '../../src/lib/files/memory-disk.ts';
import { claimLease } from '../../src/lib/leases/claim-lease.ts';
import { type HeldLease, leaseMs } from '../../src/lib/leases/lease.ts';
import type { Machine } from '../../src/lib/machine.ts';
import type { Choose } from './explore.ts';
import { interleave, type Limits, type Program } from './interleave.ts';

const place = (machine: Machine) => ({ directory: '/leases', machine });

type Note = (what: string) => void;

function claim(machine: Machine, note: Note): HeldLease | undefined {
  const claimed = claimLease(place(machine), 'thing');
  if (!claimed.ok || claimed.value.state !== 'won') return undefined;
  note(`won ${claimed.value.lease.epoch}`);
  return claimed.value.lease;
}

function act(lease: HeldLease, note: Note): void {
  note(lease.check() ? `may act ${lease.epoch}` : 'is refused');
}

/** Claims, and acts twice. */
const claimant: Program = (machine, note) => {
  const lease = claim(machine, note);
  if (!lease) return;
  act(lease, note);
  act(lease, note);
};

/** Claims, is stopped past its deadline, wakes and acts. */
const sleeper: Program = (machine, note) => {
  const lease = claim(machine, note);
  if (!lease) return;
  note('sleeps');
  act(lease, note);
  act(lease, note);
};

/** Claims and gives back. */
const visitor: Program = (machine, note) => {
  const lease = claim(machine, note);
  if (!lease) return;
  note(`leaves ${lease.epoch}`);
  lease.release();
};

export type LeaseCase = 'claim and claim' | 'wake and steal' | 'leave and claim' | 'wake, steal and steal';

/** One order of all operations of a small case. Returns why it is wrong. */
export function playLeases(
  name: LeaseCase,
  choose: Choose,
  limits: Limits,
  plant: (disk: Disk) => Disk = (disk) => disk,
): string | undefined {
  let now = 1_000;
  const notes: string[] = [];
  const stage = {
    disk: plant(memoryDisk({ now: () => now })),
    uptime: () => now,
    note(who: string, what: string) {
      notes.push(`${who} ${what}`);
      // Time passes once, when the note is made, however often the program is run again.
      if (what === 'sleeps') now += 2 * leaseMs;
    },
  };
  const programs: Record<LeaseCase, Record<string, Program>> = {
    'claim and claim': { A: claimant, B: claimant },
    'wake and steal': { A: sleeper, B: claimant },
    'leave and claim': { A: visitor, B: claimant },
    'wake, steal and steal': { A: sleeper, B: claimant, C: claimant },
  };
  interleave(stage, programs[name], choose, limits);
  return judgeNotes(notes);
}

/** No epoch is won twice, and nobody may act after a later epoch was won. */
function judgeNotes(notes: readonly string[]): string | undefined {
  const won = new Map<number, string>();
  for (const note of notes) {
    const [, who = '', what, epoch] = /^(\w+) (won|may act|leaves|is refused)(?: (\d+))?$/.exec(note) ?? [];
    if (!what) continue;
    const number = Number(epoch);
    // With nobody left who could take it for its own, a number may be given again.
    if (what === 'leaves' || what === 'is refused') {
      for (const [given, holder] of won) if (holder === who) won.delete(given);
      continue;
    }
    const other = won.get(number);
    if (what === 'won' && other !== undefined) return `epoch ${number} was won twice: ${notes.join(', ')}`;
    if (what === 'won') won.set(number, who);
    const newest = Math.max(...won.keys());
    if (newest > number) return `${who} ${what} ${number} after ${newest} was won: ${notes.join(', ')}`;
  }
  return undefined;
}
