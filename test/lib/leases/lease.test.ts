import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { manualClock } from '../../../src/lib/clock.ts';
import { systemDisk } from '../../../src/lib/files/disk.ts';
import { memoryDisk } from '../../../src/lib/files/memory-disk.ts';
import { claimLease, clearLease, lookAtLease } from '../../../src/lib/leases/claim-lease.ts';
import { type LeasePlace, listLeaseNames } from '../../../src/lib/leases/claims.ts';
import { LeaseKeeper } from '../../../src/lib/leases/keeper.ts';
import { type HeldLease, leaseMs, placeClaim } from '../../../src/lib/leases/lease.ts';
import type { Machine } from '../../../src/lib/machine.ts';
import { temporaryDirectory } from '../../support/index.ts';
import { simulatedMachines } from './machines.ts';

for (const [name, ground] of [
  ['on a disk in memory', () => ({ disk: memoryDisk(), directory: '/leases' })],
  [
    'on the system’s disk',
    () => ({ disk: systemDisk, directory: join(temporaryDirectory().path, 'leases') }),
  ],
] as const)
  describe(name, () => {
    function start() {
      const { disk, directory } = ground();
      const machines = simulatedMachines(disk);
      const at = (machine: Machine): LeasePlace => ({ directory, machine });
      const on = (pid: number) => at(machines.process(pid));
      const files = () => disk.list(directory).toSorted();
      return { ...machines, at, on, files };
    }

    test('a lease is claimed once, and the second process is told by whom', () => {
      const { on } = start();
      expect(win(on(1)).epoch).toBe(1);
      expect(claimLease(on(2), 'a')).toMatchObject({ ok: true, value: { state: 'held', by: { pid: 1 } } });
      expect(claimLease(on(1), 'a')).toMatchObject({ ok: true, value: { state: 'held', by: { pid: 1 } } });
    });

    test('a lease that was given back leaves nothing', () => {
      const { on, files } = start();
      const lease = win(on(1));
      lease.release();
      expect(files()).toEqual([]);
      expect(lease.check()).toBe(false);
      expect(win(on(2)).epoch).toBe(1);
    });

    test('the claim of a dead process is void, and the next epoch follows it', () => {
      const { on, kill, files } = start();
      win(on(1));
      kill(1);
      expect(lookAtLease(on(2), 'a')?.state).toBe('dead');
      expect(win(on(2)).epoch).toBe(2);
      expect(files()).toEqual(['a.2.json']);
    });

    test('a lease in force is not taken over past the claim of a process that was killed while it claimed', () => {
      const { on, kill, pass } = start();
      const lease = win(on(1));
      const late = on(2);
      const owner = { ...late.machine.self(), ...late.machine.locality(), incarnation: 'x' };
      pass(leaseMs / 2);
      expect(lease.renew()).toBe(true);
      expect(placeClaim(late, 'a', { epoch: 2, deadline: 0.5, owner })).toBe('placed');
      kill(2);
      expect(lookAtLease(on(3), 'a')).toMatchObject({ state: 'held', claim: { owner: { pid: 1 } } });
      expect(claimLease(on(3), 'a')).toMatchObject({ ok: true, value: { state: 'held', by: { pid: 1 } } });
    });

    test('who takes a lease over is told of a living process that had it, also when another was killed in between', () => {
      const { on, kill, pass } = start();
      win(on(1));
      pass(2 * leaseMs);
      win(on(2));
      kill(2);
      const claimed = claimLease(on(3), 'a');
      expect(claimed).toMatchObject({ ok: true, value: { state: 'won', hasElder: true } });
    });

    test('a holder that renews keeps its lease; nothing is written before the first renewal', () => {
      const { on, pass, files } = start();
      const lease = win(on(1));
      pass(leaseMs - 1);
      expect(lease.check()).toBe(true);
      expect(files()).toEqual(['a.1.json']);
      expect(lease.renew()).toBe(true);
      pass(leaseMs - 1);
      expect(claimLease(on(2), 'a')).toMatchObject({ value: { state: 'held' } });
      expect(lease.check()).toBe(true);
    });

    test('a holder that was paused past its deadline is passed, and refused when it wakes', () => {
      const { on, pass } = start();
      const lease = win(on(1));
      const lost: unknown[] = [];
      lease.onLost((successor) => lost.push(successor?.pid));
      pass(leaseMs + 2000);
      expect(lookAtLease(on(2), 'a')?.state).toBe('paused');
      const next = claimLease(on(2), 'a');
      expect(next).toMatchObject({
        value: { state: 'won', before: { state: 'paused', claim: { owner: { pid: 1 } } } },
      });
      expect(lease.check()).toBe(false);
      expect(lease.renew()).toBe(false);
      expect(lease.successor?.pid).toBe(2);
      expect(lost).toEqual([2]);
    });

    test('a holder that wakes past its deadline and was not passed continues', () => {
      const { on, pass } = start();
      const lease = win(on(1));
      pass(10 * leaseMs);
      expect(lease.check()).toBe(true);
      expect(claimLease(on(2), 'a')).toMatchObject({ value: { state: 'held', by: { pid: 1 } } });
    });

    test('a holder wakes between a successor’s look and its claim: the successor withdraws', () => {
      const { on, pass, process, at } = start();
      const holder = win(on(1));
      pass(leaseMs + 2000);
      const slow = process(2);
      const disk = {
        ...slow.disk,
        link(path: string, second: string) {
          expect(holder.check()).toBe(true);
          slow.disk.link(path, second);
        },
      };
      expect(claimLease(at({ ...slow, disk }), 'a')).toMatchObject({
        value: { state: 'held', by: { pid: 1 } },
      });
      expect(holder.check()).toBe(true);
    });

    test('a renewal that was held up until the lease was passed and given back brings nothing back', () => {
      const { on, pass, process, at, files } = start();
      const machine = process(1);
      let overtake = () => {};
      const disk = {
        ...machine.disk,
        rename(path: string, target: string) {
          overtake();
          machine.disk.rename(path, target);
        },
      };
      const holder = win(at({ ...machine, disk }));
      pass(leaseMs + 2000);
      overtake = () => win(on(2)).release();
      expect(holder.check()).toBe(false);
      clearLease(on(2), 'a');
      expect(files()).toEqual([]);
    });

    test('an epoch is not won again while a process that was passed is alive', () => {
      const { on, pass, kill, files } = start();
      const paused = win(on(1));
      pass(leaseMs + 2000);
      win(on(2)).release();
      expect(files()).toEqual(['a.1.json', 'a.2.json', 'a.2.until']);
      clearLease(on(3), 'a');
      const third = win(on(3));
      expect(third.epoch).toBe(3);
      expect(paused.check()).toBe(false);
      third.release();
      expect(files()).toEqual([]);
      win(on(4));
      kill(4);
      clearLease(on(5), 'a');
      expect(files()).toEqual([]);
    });

    test('a claim that was kept for a paused process goes when that process has seen it', () => {
      const { on, pass, files } = start();
      const paused = win(on(1));
      pass(leaseMs + 2000);
      win(on(2)).release();
      expect(files()).toHaveLength(3);
      expect(paused.check()).toBe(false);
      expect(files()).toEqual([]);
    });

    test('a holder goes on under a later epoch, and not past another that has one', () => {
      const { on, pass, files } = start();
      const lease = win(on(1));
      expect(lease.raise(7).ok).toBe(true);
      expect(lease.epoch).toBe(7);
      expect(files()).toEqual(['a.7.json']);
      pass(leaseMs + 2000);
      expect(win(on(2)).epoch).toBe(8);
      expect(lease.raise(9)).toMatchObject({ ok: false });
      expect(files()).toEqual(['a.8.json']);
    });

    test('a claim without a number or a deadline, as earlier versions made it, holds as long as its process lives', () => {
      const { on, pass, kill, disk, at, process } = start();
      const place = at(process(2));
      disk.makeDirectory(place.directory);
      const file = disk.open(join(place.directory, 'a.json'), { access: 'write', create: 'new' });
      file.write(Buffer.from(JSON.stringify({ pid: 1, start: '1' })), 0);
      file.close();
      pass(100 * leaseMs);
      expect(claimLease(place, 'a')).toMatchObject({ value: { state: 'held', by: { pid: 1 } } });
      kill(1);
      expect(win(on(2)).epoch).toBe(1);
    });

    test('a file that is not a claim is void', () => {
      const { disk, on } = start();
      const place = on(1);
      disk.makeDirectory(place.directory);
      disk.open(join(place.directory, 'a.4.json'), { access: 'write', create: 'new' }).close();
      expect(win(place).epoch).toBe(5);
      expect(listLeaseNames(place)).toEqual(['a']);
    });
  });

test('a jump of the wall clock passes no lease', () => {
  const { process, pass } = simulatedMachines(memoryDisk({ now: () => now }));
  let now = Date.now();
  const lease = win({ directory: '/leases', machine: process(1) });
  for (const jump of [86_400_000, -2 * 86_400_000]) {
    now += jump;
    pass(10);
    expect(lookAtLease({ directory: '/leases', machine: process(2) }, 'a')?.state).toBe('held');
    expect(lease.check()).toBe(true);
  }
});

test('a claim of another machine or container holds for as long as it is renewed, by the times of files', () => {
  let now = 1_000_000;
  const { process, pass } = simulatedMachines(memoryDisk({ now: () => now }));
  const far = win({ directory: '/leases', machine: process(1, { host: 'there', space: 'other pid' }) });
  const place = { directory: '/leases', machine: process(2) };
  pass(10 * leaseMs);
  now += 100_000;
  expect(lookAtLease(place, 'a')?.state).toBe('held');
  far.renew();
  now += 100_000;
  expect(lookAtLease(place, 'a')?.state).toBe('held');
  now += 100_000;
  expect(lookAtLease(place, 'a')?.state).toBe('dead');
});

test('of this machine before it was started again no claim is left', () => {
  const { process } = simulatedMachines();
  win({ directory: '/leases', machine: process(1, { space: 'earlier pid' }) });
  expect(lookAtLease({ directory: '/leases', machine: process(2) }, 'a')?.state).toBe('dead');
});

test('one timer renews all leases of a process, and ends with the last of them', () => {
  const { process, pass, disk } = simulatedMachines();
  const clock = manualClock();
  const keeper = new LeaseKeeper(clock);
  const place = { directory: '/leases', machine: process(1) };
  const leases = ['a', 'b'].map((name) => win(place, name));
  for (const lease of leases) keeper.keep(lease);
  const both = (ms: number) => {
    pass(ms);
    clock.advance(ms);
  };
  both(leaseMs / 3 - 1);
  expect(disk.list('/leases')).toHaveLength(2);
  for (let round = 0; round < 10; round++) both(leaseMs / 3);
  const other = { directory: '/leases', machine: process(2) };
  expect(['a', 'b'].map((name) => lookAtLease(other, name)?.state)).toEqual(['held', 'held']);
  for (const lease of leases) keeper.drop(lease);
  expect(clock.untilNext()).toBeUndefined();
});

test('on a full disk a holder keeps its lease until another process takes it', () => {
  const { process, pass } = simulatedMachines();
  const machine = process(1);
  const full = {
    ...machine.disk,
    open: (...given: Parameters<typeof machine.disk.open>) => {
      if (isFull && given[1].access !== 'read') throw Object.assign(new Error('full'), { code: 'ENOSPC' });
      return machine.disk.open(...given);
    },
  };
  let isFull = false;
  const lease = win({ directory: '/leases', machine: { ...machine, disk: full } });
  isFull = true;
  pass(leaseMs + 2000);
  expect(lease.check()).toBe(true);
  win({ directory: '/leases', machine: process(2) });
  expect(lease.check()).toBe(false);
});

function win(place: LeasePlace, name = 'a'): HeldLease {
  const claimed = claimLease(place, name);
  if (!claimed.ok || claimed.value.state !== 'won') throw new Error(`not won: ${JSON.stringify(claimed)}`);
  return claimed.value.lease;
}
