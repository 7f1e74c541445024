import { expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, statSync } from 'node:fs';
import { findEndpoint } from '../../src/models/endpoints.ts';
import { memoryKeyStore, openKeyStore } from '../../src/models/keys.ts';
import { temporaryWorkspace } from '../../src/testing/index.ts';

test('a key entered once is there the next time, in a file that only its owner reads', async () => {
  await using home = await temporaryWorkspace();
  expect(openKeyStore(home.file('state')).saveKey('anthropic', ' sk-ant-1\n')).toEqual({
    ok: true,
    value: undefined,
  });
  expect(openKeyStore(home.file('state')).readKey('anthropic')).toEqual({ ok: true, value: 'sk-ant-1' });
  expect(statSync(home.file('state/keys.json')).mode & 0o777).toBe(0o600);
  expect(statSync(home.file('state')).mode & 0o777).toBe(0o700);
});

test('a key can be removed without touching the others', async () => {
  await using home = await temporaryWorkspace();
  const keys = openKeyStore(home.path);
  keys.saveKey('anthropic', 'a');
  keys.saveKey('openai', 'b');
  expect(keys.removeKey('anthropic')).toEqual({ ok: true, value: true });
  expect(keys.removeKey('anthropic')).toEqual({ ok: true, value: false });
  expect(openKeyStore(home.path).readKeys()).toEqual({ ok: true, value: { openai: 'b' } });
});

test('a key file that others can read is refused', async () => {
  await using home = await temporaryWorkspace({ 'keys.json': '{"anthropic":"secret-1"}' });
  chmodSync(home.file('keys.json'), 0o644);
  const read = openKeyStore(home.path).readKey('anthropic');
  expect(read).toMatchObject({
    ok: false,
    problem: { kind: 'usage', hint: `Restrict it with: chmod 600 ${home.file('keys.json')}` },
  });
});

test('what is no file of keys is wrong configuration, not a run that failed', async () => {
  for (const make of ['mkfifo -m 600 "$1"', 'mkdir "$1"', 'truncate -s 5M "$1" && chmod 600 "$1"']) {
    await using home = await temporaryWorkspace();
    expect(spawnSync('sh', ['-c', make, 'sh', home.file('keys.json')]).status).toBe(0);
    const read = openKeyStore(home.path).readKeys();
    expect([make, read.ok ? 'read' : read.problem.kind]).toEqual([make, 'usage']);
  }
});

test('a damaged key file is reported without its content', async () => {
  await using home = await temporaryWorkspace({ 'keys.json': '{"anthropic":"secret-1"' });
  chmodSync(home.file('keys.json'), 0o600);
  const read = openKeyStore(home.path).readKey('anthropic');
  expect(read.ok).toBe(false);
  expect(JSON.stringify(read)).not.toContain('secret-1');
});

test('an empty or broken key is not stored', async () => {
  await using home = await temporaryWorkspace();
  expect(openKeyStore(home.path).saveKey('openai', '  ').ok).toBe(false);
  expect(openKeyStore(home.path).saveKey('openai', 'two words').ok).toBe(false);
});

test.each(['["secret-1"]', '[]', 'null', '"secret-1"', '{"anthropic":', '{"anthropic":1}', ''])(
  'a damaged key file, %s, is not overwritten by storing a key',
  async (text) => {
    await using home = await temporaryWorkspace({ 'keys.json': text });
    chmodSync(home.file('keys.json'), 0o600);
    const saved = openKeyStore(home.path).saveKey('openai', 'new');
    expect(saved).toMatchObject({ ok: false, problem: { kind: 'usage' } });
    expect(readFileSync(home.file('keys.json'), 'utf8')).toBe(text);
  },
);

test.each([
  ['sk-\u200babc', '(U+200B) at position 4'],
  ['"sk-abc"', 'is in quotes'],
  ["'sk-abc'", 'is in quotes'],
  ['sk-é', '(U+00E9) at position 4'],
  ['sk-a\nb', '(U+000A) at position 5'],
])('a key with a character that no key has is refused wherever it comes from', async (key, named) => {
  await using home = await temporaryWorkspace();
  const found = [
    openKeyStore(home.path).saveKey('anthropic', key),
    findEndpoint('anthropic', { ANTHROPIC_API_KEY: key }, memoryKeyStore()),
    findEndpoint('anthropic', { ANTHROPIC_AUTH_TOKEN: key }, memoryKeyStore()),
    findEndpoint('anthropic', {}, memoryKeyStore({ anthropic: key })),
  ];
  for (const one of found) {
    expect(one).toMatchObject({ ok: false, problem: { kind: 'usage' } });
    expect(JSON.stringify(one)).toContain(named);
    expect(JSON.stringify(one)).not.toContain('sk-');
  }
});
