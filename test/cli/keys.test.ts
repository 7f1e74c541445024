import { expect, test } from 'bun:test';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fakeProvider } from '../../src/testing/index.ts';
import { cadre, newPlace } from './support.ts';

const secret = 'sk-secret-0123456789';

test('a key is stored for its owner alone, used for a request, and never printed', async () => {
  const place = newPlace();
  await using provider = await fakeProvider({ script: ['Hello.'], apiKey: secret });
  const stored = await cadre(['key', 'set', 'anthropic'], { place, input: `${secret}\n` });
  expect(stored).toMatchObject({ code: 0, out: 'Stored the key for anthropic.\n', err: '' });
  expect(statSync(join(place.home, 'keys.json')).mode & 0o7777).toBe(0o600);
  expect(statSync(place.home).mode & 0o7777).toBe(0o700);

  const listed = await cadre(['key', 'list'], { place });
  expect(listed).toMatchObject({ code: 0, out: 'anthropic: stored\n' });

  const env = { ANTHROPIC_BASE_URL: provider.url };
  const asked = await cadre(['-p', 'Hello', '--output-format', 'stream-json'], { place, env });
  expect(asked.code).toBe(0);
  expect(provider.requests[0]?.headers['x-api-key']).toBe(secret);
  for (const { out, err } of [stored, listed, asked]) expect(out + err).not.toContain(secret);
});

test('a key of the environment goes before a stored one', async () => {
  const place = newPlace();
  await using provider = await fakeProvider({ script: ['Hello.'] });
  await cadre(['key', 'set', 'anthropic'], { place, input: secret });
  await cadre(['-p', 'Hello'], { place, provider });
  expect(provider.requests[0]?.headers['x-api-key']).toBe('a-test-key');
});

test('a removed key is gone, and the others stay', async () => {
  const place = newPlace();
  for (const name of ['anthropic', 'openai']) await cadre(['key', 'set', name], { place, input: secret });
  const removed = await cadre(['key', 'remove', 'anthropic'], { place });
  expect(removed).toMatchObject({ code: 0, out: 'Deleted the key for anthropic.\n' });
  expect(Object.keys(JSON.parse(readFileSync(join(place.home, 'keys.json'), 'utf8')))).toEqual(['openai']);
  const again = await cadre(['key', 'remove', 'anthropic'], { place });
  expect(again).toMatchObject({ code: 0, out: 'No key was stored for anthropic.\n' });
});

test('a wrong key is told in words, without the key', async () => {
  const place = newPlace();
  await using provider = await fakeProvider({ script: [], apiKey: 'another' });
  const env = { ANTHROPIC_BASE_URL: provider.url, ANTHROPIC_API_KEY: secret };
  const ended = await cadre(['-p', 'Hello'], { place, env });
  expect(ended).toMatchObject({ code: 1, out: '' });
  expect(ended.err).toMatch(/key/i);
  expect(ended.err).not.toContain(secret);
});
