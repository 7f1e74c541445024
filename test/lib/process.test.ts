import { expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { sleep, systemClock } from '../../src/lib/clock.ts';
import { Fifos } from '../../src/lib/files/fifo.ts';
import { randomIds } from '../../src/lib/ids.ts';
import { findOwned, type OwnedOptions, spawnOwned, sweepMarked } from '../../src/lib/processes/process.ts';
import { temporaryDirectory } from '../support/index.ts';

const path = process.env.PATH ?? '';

function run(script: string, more: Partial<OwnedOptions> = {}) {
  const pieces: Uint8Array[] = [];
  const owner = more.owner ?? `test-${randomIds.token(12)}`;
  const child = spawnOwned({
    file: '/bin/bash',
    args: ['--norc', '-c', script],
    cwd: '/',
    env: { PATH: path },
    owner,
    clock: systemClock,
    output: (chunk) => pieces.push(chunk),
    graceMs: 200,
    ...more,
  });
  return { child, owner, text: () => Buffer.concat(pieces).toString() };
}

test('an exit code is a value, and both streams arrive', async () => {
  const { child, text } = run('echo out; echo err >&2; exit 3');
  expect(await child.ended).toEqual({
    code: 3,
    signal: null,
    timedOut: false,
    killed: false,
    leftBehind: false,
  });
  expect(text().split('\n').sort()).toEqual(['', 'err', 'out']);
});

test('through a fifo both streams arrive in order, and scripts can open them again by name', async () => {
  const fifos = new Fifos(() => temporaryDirectory().path);
  const script = 'echo a; echo b >&2; echo c >/dev/stderr; echo d >/dev/stdout';
  const { child, text } = run(script, { fifo: fifos.take() });
  await child.ended;
  expect(text()).toBe('a\nb\nc\nd\n');
  fifos.close();
});

test('a fifo is used again after a clean end, and nothing of it is on disk', async () => {
  const { path } = temporaryDirectory();
  const fifos = new Fifos(() => path);
  const first = fifos.take();
  await run('echo one', { fifo: first }).child.ended;
  const second = fifos.take();
  expect(second).toBe(first);
  const { child, text } = run('echo two', { fifo: second });
  await child.ended;
  expect(text()).toBe('two\n');
  expect(readdirSync(path)).toEqual([]);
  fifos.close();
});

test('a pipe for output and one for a gate are prepared by one process', () => {
  let made = 0;
  const { path: directory } = temporaryDirectory();
  const fifos = new Fifos(() => {
    made++;
    return directory;
  });
  fifos.prepare();
  const taken = [fifos.take(), fifos.takeGate()];
  expect(made).toBe(1);
  for (const fifo of taken) fifo?.release();
  fifos.close();
});

test('standard input is empty unless given', async () => {
  const empty = run('cat');
  await empty.child.ended;
  expect(empty.text()).toBe('');
  const given = run('cat', { input: 'hello' });
  await given.child.ended;
  expect(given.text()).toBe('hello');
});

test('input for a program that does not read it is no error', async () => {
  const end = await run('exec 0<&-; exit 0', { input: 'x'.repeat(1_000_000) }).child.ended;
  expect(end.code).toBe(0);
});

test('a program that is not there is a value', async () => {
  const { child } = run('', { file: '/nowhere/program' });
  expect((await child.ended).problem).toBe('Program not found: /nowhere/program.');
  expect(child.pid).toBeUndefined();
});

test('a directory that is not there is named', async () => {
  expect((await run('true', { cwd: '/nowhere' }).child.ended).problem).toContain('/nowhere');
});

test('G8 a process that ignores SIGTERM is killed after the grace, its output kept', async () => {
  const { child, text, owner } = run("trap '' TERM; echo before; while :; do sleep 0.05; done", {
    timeoutMs: 200,
  });
  const end = await child.ended;
  expect(end).toMatchObject({ timedOut: true, signal: 'SIGKILL' });
  expect(text()).toBe('before\n');
  expect(findOwned({ owner })).toEqual([]);
});

test('a process that ends on SIGTERM may say goodbye', async () => {
  const { child, text } = run("trap 'echo bye; exit 7' TERM; echo up; while :; do sleep 0.02; done", {
    timeoutMs: 300,
    graceMs: 5000,
  });
  expect(await child.ended).toMatchObject({ timedOut: true, code: 7 });
  expect(text()).toContain('bye\n');
});

test('an abort ends the tree', async () => {
  const controller = new AbortController();
  const { child, owner } = run('sleep 100 & sleep 100', { signal: controller.signal });
  await sleep(systemClock, 50);
  controller.abort();
  expect(await child.ended).toMatchObject({ killed: true, timedOut: false });
  expect(findOwned({ owner })).toEqual([]);
});

test('a process that is alone is killed at once, and gone at the end', async () => {
  const { child, owner } = run("trap '' TERM; echo ready; while :; do :; done", {
    ...{ isAlone: true, graceMs: 60_000 },
    output: () => child.kill(),
  });
  expect(await child.ended).toMatchObject({ killed: true, signal: 'SIGKILL', leftBehind: false });
  expect(findOwned({ owner })).toEqual([]);
});

test('a signal that fired before the start starts nothing', async () => {
  const { child } = run('echo no', { signal: AbortSignal.abort() });
  expect(child.pid).toBeUndefined();
  expect((await child.ended).killed).toBe(true);
});

test('G5 a child left in the group is ended with its parent', async () => {
  const { child, owner } = run('sleep 100 >/dev/null 2>&1 & exit 0');
  expect(await child.ended).toMatchObject({ code: 0, leftBehind: true });
  expect(findOwned({ owner })).toEqual([]);
});

test('G5 a daemon that left the session is found by its mark', async () => {
  const { child, owner } = run('setsid sleep 100 >/dev/null 2>&1 < /dev/null & sleep 0.1; exit 0');
  expect(await child.ended).toMatchObject({ code: 0, leftBehind: true });
  expect(findOwned({ owner })).toEqual([]);
});

test('a daemon that holds the output does not hold the end', async () => {
  const { child, owner, text } = run('setsid bash -c "trap \\"\\" TERM; sleep 100" & sleep 0.1; echo done');
  expect(await child.ended).toMatchObject({ code: 0, leftBehind: true });
  expect(text()).toContain('done');
  expect(findOwned({ owner })).toEqual([]);
});

test('a sweep ends what carries the mark or one below it, and nothing else', async () => {
  const parent = `test-${randomIds.token(12)}`;
  const below = run('sleep 100', { owner: `${parent}/one` });
  const other = run('sleep 100', { owner: `${parent}x` });
  await sleep(systemClock, 50);
  expect(sweepMarked(parent)).toContain(below.child.pid ?? 0);
  expect((await below.child.ended).signal).toBe('SIGKILL');
  expect(findOwned({ owner: other.owner }).length).toBeGreaterThan(0);
  other.child.kill();
  await other.child.ended;
});
