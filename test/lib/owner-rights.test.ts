import { expect, test } from 'bun:test';
import { systemClock } from '../../src/lib/clock.ts';
import { guardOwner } from '../../src/lib/processes/owner-rights.ts';
import { spawnOwned } from '../../src/lib/processes/process.ts';
import { failure, ok } from '../../src/lib/result.ts';

const start = (owner: string) =>
  spawnOwned({
    ...{ file: '/bin/sh', args: ['-c', 'true'], cwd: '/', env: {}, clock: systemClock, output() {} },
    owner,
  }).ended;

test('no process is started for an owner that lost its right, nor for a mark below it', async () => {
  let mayStart = true;
  const unguard = guardOwner('a', () => (mayStart ? ok(undefined) : failure('taken over')));
  expect((await start('a')).code).toBe(0);
  mayStart = false;
  expect((await start('a')).problem).toBe('taken over');
  expect((await start('a/b')).problem).toBe('taken over');
  expect((await start('ab')).code).toBe(0);
  unguard();
  expect((await start('a')).problem).toBe('taken over');
  mayStart = true;
  unguard();
  mayStart = false;
  expect((await start('a')).code).toBe(0);
});
