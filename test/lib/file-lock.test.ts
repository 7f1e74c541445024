import { expect, test } from 'bun:test';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manualClock, systemClock } from '../../src/lib/clock.ts';
import { holdFileLock, withFileLock } from '../../src/lib/files/file-lock.ts';
import { memoryDisk } from '../../src/lib/files/memory-disk.ts';
import { claimLease } from '../../src/lib/leases/claim-lease.ts';
import { type Machine, systemMachine } from '../../src/lib/machine.ts';
import { isStopped, processMark } from '../../src/lib/processes/mark.ts';
import { failure, ok } from '../../src/lib/result.ts';
import { temporaryDirectory } from '../support/index.ts';
import { until } from '../support/until.ts';

test('the work runs under the lock, and the lock goes with it, whatever the end', async () => {
  const { path } = temporaryDirectory();
  const lock = join(path, 'lock');
  expect(await withFileLock(lock, systemClock, () => ok(existsSync(lock)))).toEqual({
    ok: true,
    value: true,
  });
  expect(await withFileLock(lock, systemClock, () => failure('no'))).toMatchObject({ ok: false });
  const thrown = withFileLock(lock, systemClock, () => {
    throw new Error('a bug');
  });
  await expect(thrown).rejects.toThrow('a bug');
  expect(readdirSync(path)).toEqual([]);
});

for (const dead of [
  '',
  'nonsense',
  '{}',
  '{"pid":1}',
  JSON.stringify({ ...processMark(process.pid), start: 'earlier' }),
])
  test(`a lock that names no living process is cleared: ${dead.slice(0, 20)}`, async () => {
    const { path } = temporaryDirectory();
    writeFileSync(join(path, 'lock'), dead);
    expect(await withFileLock(join(path, 'lock'), systemClock, () => ok(1))).toEqual({ ok: true, value: 1 });
    expect(readdirSync(path)).toEqual([]);
  });

test('a lock that a living process keeps is waited for, and not for ever', async () => {
  const { path } = temporaryDirectory();
  writeFileSync(join(path, 'lock'), JSON.stringify(processMark(process.pid)));
  const clock = manualClock();
  const waiting = withFileLock(join(path, 'lock'), clock, () => ok(1));
  const ended = await Promise.race([waiting, advance(clock)]);
  expect(ended).toMatchObject({
    ok: false,
    problem: { message: expect.stringContaining('another process') },
  });
  expect(readdirSync(path)).toEqual(['lock']);
});

test('a lock whose process is paused is refused soon, and the user hears which process it is', async () => {
  const { path } = temporaryDirectory();
  const holder = Bun.spawn(['sleep', '60']);
  holder.kill('SIGSTOP');
  await until(() => isStopped(holder.pid));
  writeFileSync(join(path, 'lock'), JSON.stringify(processMark(holder.pid)));
  const clock = manualClock();
  const waiting = holdFileLock(join(path, 'lock'), clock, { waitMs: 120_000 });
  const ended = await Promise.race([waiting, advance(clock)]);
  holder.kill('SIGKILL');
  expect(ended).toMatchObject({
    ok: false,
    problem: {
      message: expect.stringMatching(
        new RegExp(`another process \\(${holder.pid}, which is paused\\) .* 6 seconds`),
      ),
      hint: expect.stringContaining('(fg)'),
    },
  });
  expect(readdirSync(path)).toEqual(['lock']);
});

test('a lock is void once its process has lost the lease that it worked under, though it is alive', async () => {
  const disk = memoryDisk();
  let now = 0;
  const machine = (pid: number): Machine => ({
    ...systemMachine,
    disk,
    self: () => ({ pid, start: 'simulated' }),
    locality: () => ({ host: 'h', space: 's' }),
    uptime: () => now,
    isAlive: () => true,
  });
  const clock = manualClock();
  const claim = (pid: number) => claimLease({ directory: '/running', machine: machine(pid) }, 'session');
  const hold = (pid: number) =>
    holdFileLock('/lock', clock, {
      ...{ waitMs: 0, machine: machine(pid) },
      lease: { place: { directory: '/running', machine: machine(pid) }, name: 'session' },
    });
  expect(claim(1)).toMatchObject({ value: { state: 'won' } });
  const first = await hold(1);
  expect(await Promise.race([hold(2), advance(clock)])).toMatchObject({ ok: false });
  now = 100_000;
  expect(claim(2)).toMatchObject({ value: { state: 'won' } });
  const second = await hold(2);
  expect(second.ok).toBe(true);
  if (first.ok) first.value();
  expect(disk.list('/')).toContain('lock');
  if (second.ok) second.value();
  expect(disk.list('/')).not.toContain('lock');
});

test('a directory that cannot be written to is a failure', async () => {
  expect(await withFileLock('/nowhere/at/all/lock', systemClock, () => ok(1))).toMatchObject({ ok: false });
});

async function advance(clock: ReturnType<typeof manualClock>): Promise<never> {
  for (;;) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(1000);
  }
}

test('the same on a simulated machine: a lock is void once its process is dead there', async () => {
  const disk = memoryDisk();
  const dead = new Set<number>();
  const machine = (pid: number): Machine => ({
    ...systemMachine,
    disk,
    self: () => ({ pid, start: 'simulated' }),
    isAlive: (mark) => !dead.has(mark.pid),
  });
  const clock = manualClock();
  expect((await holdFileLock('/lock', clock, { waitMs: 1, machine: machine(1) })).ok).toBe(true);
  dead.add(1);
  expect(await withFileLock('/lock', clock, () => ok(1), machine(2))).toEqual({ ok: true, value: 1 });
  expect(disk.list('/')).toEqual([]);
});
