import { expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { failWith, fakeProvider, say } from '../../src/testing/index.ts';
import { cadre, newPlace, start } from './support.ts';

const forTwoHours = () =>
  failWith({ kind: 'rate_limited', message: 'Quota used up.', status: 429, retryAfterMs: 7_200_000 });
const told =
  /Rate limit: anthropic\/\S+ accepts requests again in 2 h\. Use --fallback-model or another --model\./;

test('G6 without a terminal a run does not wait for hours: it says until when, and ends with code 75', async () => {
  const place = newPlace();
  await using provider = await fakeProvider({ script: forTwoHours });
  const first = await cadre(['-p', 'Hi'], { place, provider });
  expect(first).toMatchObject({ code: 75, out: '' });
  expect(first.err).toContain('Quota used up.');
  // It is not tried again.
  expect(first.err).not.toContain('Trying again');
  expect(first.err).toMatch(told);
  const second = await cadre(['-p', 'Hi'], { place, provider });
  expect(second).toMatchObject({ code: 75, out: '', err: expect.stringMatching(told) });
  expect(provider.requests).toHaveLength(1);
});

test('a limit of one server, or of one key, holds up no other', async () => {
  const place = newPlace();
  await using limited = await fakeProvider({ script: forTwoHours });
  expect((await cadre(['-p', 'Hi'], { place, provider: limited })).code).toBe(75);
  await using free = await fakeProvider({ script: () => say('Hello.') });
  expect(await cadre(['-p', 'Hi'], { place, provider: free })).toMatchObject({ code: 0, out: 'Hello.\n' });
  const env = { ANTHROPIC_API_KEY: 'another-key' };
  expect((await cadre(['-p', 'Hi'], { place, provider: limited, env })).code).toBe(75);
  expect(limited.requests).toHaveLength(2);
});

test('with maxWaitMinutes 0 it waits for as long as it takes', async () => {
  const place = newPlace();
  mkdirSync(place.home, { recursive: true });
  writeFileSync(join(place.home, 'settings.json'), '{"maxWaitMinutes":0}');
  await using provider = await fakeProvider({ script: forTwoHours });
  const running = start(['-p', 'Hi'], { place, provider });
  const isTold = new Promise<void>((resolve) => {
    running.child.stderr?.on('data', (chunk) => `${chunk}`.includes('Trying again') && resolve());
  });
  await isTold;
  running.child.kill('SIGTERM');
  expect((await running.ended).code).toBe(143);
});
