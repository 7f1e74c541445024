import { expect, test } from 'bun:test';
import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manualClock, systemClock } from '../../src/lib/clock.ts';
import { openPromptHistory, type PromptHistoryParts } from '../../src/store/prompt-history.ts';
import { temporaryDirectory } from '../support/index.ts';
import { mustHave } from './build.ts';

function create(more: Partial<PromptHistoryParts> = {}) {
  const home = more.home ?? join(temporaryDirectory().path, 'home');
  const history = openPromptHistory({ home, clock: manualClock(0), hide: (text) => text, ...more });
  const add = async (text: string, cwd = '/project') => mustHave(await history.add({ text, cwd }));
  const texts = (query = {}) => mustHave(history.find(query)).map(({ text }) => text);
  return { home, path: join(home, 'history.jsonl'), history, add, texts };
}

test('prompts are found newest first, each text once, with where and when they were typed', async () => {
  const { add, texts, history } = create();
  for (const text of ['one', 'two', 'one', 'three\nlines']) await add(text);
  expect(texts()).toEqual(['three\nlines', 'one', 'two']);
  expect(mustHave(history.find({ limit: 1 }))).toEqual([
    { text: 'three\nlines', cwd: '/project', at: '1970-01-01T00:00:00.000Z' },
  ]);
});

test('nothing was typed yet, and blank prompts are not kept', async () => {
  const { add, texts, home } = create();
  expect(texts()).toEqual([]);
  await add('  \n');
  expect(existsSync(home)).toBe(false);
});

test('what is looked for is found in any case, in one directory or in all', async () => {
  const { add, texts } = create();
  await add('Mend the tests', '/a');
  await add('mend the docs', '/b');
  await add('other', '/a');
  expect(texts({ containing: 'MEND' })).toEqual(['mend the docs', 'Mend the tests']);
  expect(texts({ containing: 'mend', cwd: '/a' })).toEqual(['Mend the tests']);
  expect(texts({ cwd: '/a', limit: 1 })).toEqual(['other']);
});

test('only the owner can read it', async () => {
  const { add, path, home } = create();
  await add('mine');
  expect([statSync(path).mode & 0o777, statSync(home).mode & 0o777]).toEqual([0o600, 0o700]);
});

test('known secrets are hidden before anything is written', async () => {
  const { add, path } = create({ hide: (text) => text.replaceAll('sk-secret', '[masked]') });
  await add('use sk-secret here');
  expect(readFileSync(path, 'utf8')).toContain('use [masked] here');
  expect(readFileSync(path, 'utf8')).not.toContain('sk-secret');
});

test('it stays bounded: a full file becomes the older one, and both are searched', async () => {
  const { add, texts, path, home } = create({ maxBytes: 2_000 });
  for (let index = 0; index < 200; index++) await add(`prompt number ${index}`);
  const sizes = [path, join(home, 'history.old.jsonl')].map((one) =>
    existsSync(one) ? statSync(one).size : 0,
  );
  expect(Math.max(...sizes)).toBeLessThan(2_200);
  const found = texts();
  expect(found.slice(0, 3)).toEqual(['prompt number 199', 'prompt number 198', 'prompt number 197']);
  expect(found.length).toBeGreaterThan(15);
});

test('several that add at once lose nothing, also when the file turns over', async () => {
  const home = join(temporaryDirectory().path, 'home');
  const one = { home, clock: systemClock, hide: (text: string) => text, maxBytes: 20_000 };
  const writers = Array.from({ length: 4 }, () => openPromptHistory(one));
  await Promise.all(
    writers.map(async (writer, who) => {
      for (let index = 0; index < 60; index++)
        mustHave(await writer.add({ text: `${who} wrote ${index}`, cwd: '/p' }));
    }),
  );
  expect(mustHave(openPromptHistory(one).find({ limit: 1000 }))).toHaveLength(240);
});

test('a torn line and what is no entry are passed over', async () => {
  const { add, texts, path } = create();
  await add('one');
  appendFileSync(path, '{"text":"to');
  await add('two');
  appendFileSync(path, '[1]\n{"text":5}\n\0\0\n');
  expect(texts()).toEqual(['two', 'one']);
});

test('of a very long prompt both ends are kept, and how much is missing', async () => {
  const { add, texts } = create();
  await add(`begin ${'x'.repeat(300_000)} end`);
  const [text = ''] = texts();
  expect(text.length).toBeLessThanOrEqual(100_000);
  expect(text).toMatch(/^begin x+\n… \d+ characters omitted …\nx+ end$/);
});

test('where pasted text is comes back with the prompt', async () => {
  const { history } = create();
  const entry = { text: 'see A and B', cwd: '/', pasted: [[4, 5] as const, [10, 11] as const] };
  mustHave(await history.add(entry));
  mustHave(await history.add({ text: 'typed', cwd: '/', pasted: [] }));
  const [typed, found] = mustHave(history.find());
  expect(found).toMatchObject(entry);
  expect(typed?.pasted).toBeUndefined();
});

test('where a secret is hidden, what follows the typed beginning counts as pasted', async () => {
  const { history } = create({ hide: (text) => text.replaceAll('sk-secret', '[masked]') });
  const add = (text: string, from: number) =>
    history.add({ text, cwd: '/', pasted: [[from, text.length - 4]] });
  mustHave(await add('!run sk-secret now', 5));
  mustHave(await add('sk-secret with more', 10));
  expect(mustHave(history.find()).map(({ text, pasted }) => ({ text, pasted }))).toEqual([
    { text: '[masked] with more', pasted: [[0, 18]] },
    { text: '!run [masked] now', pasted: [[5, 17]] },
  ]);
});

test.each(['5', '[5]', '[[0]]', '[[3,2]]', '[[0,99]]', '[[0,1],[0,1]]', '[["0","1"]]', '[[-1,2]]'])(
  'places that cannot be are passed over: %s',
  async (pasted) => {
    const { history, path, add } = create();
    await add('one');
    writeFileSync(path, `{"at":"x","cwd":"/","text":"word","pasted":${pasted}}\n`);
    expect(mustHave(history.find())).toEqual([{ at: 'x', cwd: '/', text: 'word' }]);
  },
);

test('switched off it keeps nothing and still finds', async () => {
  const { home, add } = create();
  await add('before');
  const off = create({ home, isOff: true });
  await off.add('secret plan');
  expect(off.texts()).toEqual(['before']);
});

test('a home that is a file is a problem that names it', async () => {
  const home = join(temporaryDirectory().path, 'file');
  writeFileSync(home, '');
  const { history } = create({ home });
  expect(await history.add({ text: 'x', cwd: '/' })).toMatchObject({
    ok: false,
    problem: { message: expect.stringContaining(home) },
  });
});
