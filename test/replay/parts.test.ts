import { expect, test } from 'bun:test';
import { seededRandom } from '../../src/lib/random.ts';
import type { ModelEvent } from '../../src/protocol/index.ts';
import { firstDifference } from '../../src/replay/divergence.ts';
import { openMask } from '../../src/replay/mask.ts';
import { keepSecretsWhole } from '../../src/replay/record.ts';
import { listSecrets } from '../../src/replay/secrets.ts';
import { seededIds } from '../../src/replay/seeded-ids.ts';

const secrets = ['sk-abab12abab', 'key-key-key-9', 'sk-abab12ababab'];

async function deltasOf(pieces: string[]): Promise<string[]> {
  async function* events(): AsyncGenerator<ModelEvent> {
    for (const text of pieces) yield { type: 'block_delta', index: 0, delta: { type: 'text', text } };
    yield { type: 'block_ended', index: 0, block: { type: 'text', text: pieces.join('') } };
  }
  const texts: string[] = [];
  for await (const event of keepSecretsWhole(events(), secrets))
    if (event.type === 'block_delta' && event.delta.type === 'text') texts.push(event.delta.text);
  return texts;
}

test('however an answer is split, no secret is split between two pieces', async () => {
  const random = seededRandom(3);
  const words = [...secrets, 'sk-', 'abab', 'key-', 'k', ' ', 'plain text', 'sk-abab12'];
  const mask = openMask(secrets, {}, 'x');
  for (let round = 0; round < 500; round++) {
    const text = Array.from({ length: 8 }, () => words[Math.floor(random() * words.length)]).join('');
    const pieces: string[] = [];
    for (let at = 0; at < text.length; ) {
      const size = 1 + Math.floor(random() * 6);
      pieces.push(text.slice(at, at + size));
      at += size;
    }
    const deltas = await deltasOf(pieces);
    expect(deltas.join('')).toBe(text);
    const onTape = deltas.map(mask.hide).join('');
    expect(secrets.filter((secret) => onTape.includes(secret))).toEqual([]);
  }
});

test('places come back as those of the machine that replays, secrets do not come back', () => {
  const here = openMask(['top-secret'], { cwd: '/a/b', home: '/a' }, 'tok');
  const there = openMask([], { cwd: '/elsewhere', home: '/root' }, 'tok');
  const onTape = here.toTape({ '/a/b/c': ['/a/x', 'top-secret', 7, null], text: '/a/b and {cwd}' });
  expect(JSON.stringify(onTape)).not.toMatch(/\/a|top-secret/);
  expect(there.fromTape<unknown>(onTape)).toEqual({
    '/elsewhere/c': ['/root/x', 'hidden-secret', 7, null],
    text: '/elsewhere and {cwd}',
  });
  expect(here.fromTape(here.toTape({ text: '/a/b' }))).toEqual({ text: '/a/b' });
});

test('ids come again with the seed, and look like any other', () => {
  const [one, same, other] = [seededIds('s'), seededIds('s'), seededIds('t')];
  const uuids = Array.from({ length: 50 }, () => one.uuid());
  expect(uuids).toEqual(Array.from({ length: 50 }, () => same.uuid()));
  expect(new Set(uuids).size).toBe(50);
  for (const uuid of uuids)
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(one.token(40)).toMatch(/^[a-z2-7]{40}$/);
  expect(other.uuid()).not.toBe(uuids[0]);
});

test('the first difference of two values is named by its path', () => {
  const a = { system: ['x'], messages: [{ content: [{ text: 'same' }] }, { content: [{ text: 'left' }] }] };
  const b = { system: ['x'], messages: [{ content: [{ text: 'same' }] }, { content: [{ text: 'right' }] }] };
  expect(firstDifference(a, b)).toEqual({
    where: 'messages.1.content.0.text',
    recorded: '"left"',
    now: '"right"',
  });
  expect(firstDifference({ list: [1] }, { list: [1, 2] })).toEqual({
    where: 'list.1',
    recorded: 'nothing',
    now: '2',
  });
});

test('secrets of an environment are known by their names', () => {
  const found = listSecrets({
    ANTHROPIC_API_KEY: 'a',
    GITHUB_TOKEN: 'b',
    DB_PASSWORD: 'c',
    PATH: '/bin',
    KEYBOARD: 'd',
    EMPTY_KEY: '',
  });
  expect(found).toEqual(['a', 'b', 'c']);
});
