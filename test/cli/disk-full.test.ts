import { beforeEach, expect } from 'bun:test';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { loadTranscript } from '../../src/store/transcript.ts';
import { call, fakeProvider } from '../../src/testing/index.ts';
import { smallDisk } from '../support/index.ts';
import { cadre, type Ended, newPlace, type Place } from './support.ts';

const disk = smallDisk(512);
let place: Place;
let number = 0;
beforeEach(() => {
  place = { ...newPlace(), home: join(disk.path, `home${++number}`) };
});

disk.test('a disk that is full at the start is named, before anything is asked', async () => {
  await using provider = await fakeProvider({ script: [] });
  mkdirSync(place.home, { mode: 0o700 });
  await disk.whileFull(0, async () => {
    const ended = await cadre(['-p', 'Hello'], { place, provider });
    expectFullDisk(ended);
  });
  expect(provider.requests).toHaveLength(0);
});

disk.test(
  'a disk that fills up in a run: exit 1, the path, and nothing that was written is lost',
  async () => {
    const secondTurn = Promise.withResolvers<void>();
    const filled = Promise.withResolvers<void>();
    await using provider = await fakeProvider({
      script: [
        call('Bash', { command: 'echo first' }),
        async () => {
          secondTurn.resolve();
          await filled.promise;
          return call('Bash', { command: `echo ${'x'.repeat(40_000)}` });
        },
        'Gone on.',
      ],
    });
    const flags = ['--permission-mode', 'bypassPermissions'];
    const run = cadre(['-p', 'Hello', ...flags], { place, provider });
    await secondTurn.promise;
    await disk.whileFull(1024, async () => {
      filled.resolve();
      expectFullDisk(await run);
    });
    expect(provider.requests).toHaveLength(2);

    const loaded = await loadTranscript(transcriptOf(place));
    if (!loaded.ok) throw new Error(loaded.problem.message);
    expect(loaded.value.damage).toEqual([]);
    expect(JSON.stringify(loaded.value.records)).toContain('first');
    const ended = await cadre(['-p', '-c', 'There is room again.', ...flags], { place, provider });
    expect(ended).toMatchObject({ code: 0, out: 'Gone on.\n' });
    expect(JSON.stringify(provider.received[2]?.messages)).toContain('first');
  },
);

disk.test('a key that does not fit leaves the keys that were there', async () => {
  await cadre(['key', 'set', 'anthropic'], { place, input: 'old' });
  const path = join(place.home, 'keys.json');
  const before = readFileSync(path, 'utf8');
  await disk.whileFull(0, async () => {
    const ended = await cadre(['key', 'set', 'anthropic'], { place, input: 'n'.repeat(6000) });
    expectFullDisk(ended);
    expect(readFileSync(path, 'utf8')).toBe(before);
  });
  expect(readdirSync(place.home)).toEqual(['keys.json']);
});

disk.test('ripgrep that does not fit is a result that the model can act on, not the end', async () => {
  await using provider = await fakeProvider({
    script: [call('Grep', { pattern: 'x' }), 'Without it, then.'],
  });
  const ended = await cadre(['-p', 'Look'], { place, provider });
  expect(ended).toMatchObject({ code: 0, out: 'Without it, then.\n' });
  expect(JSON.stringify(provider.received[1]?.messages)).toMatch(/space|full/i);
  expect(readdirSync(join(place.home, 'bin'))).toEqual([]);
});

function expectFullDisk(ended: Ended): void {
  expect(ended).toMatchObject({ code: 1 });
  expect(ended.err).toContain(place.home);
  expect(ended.err).toMatch(/full|space/i);
  expect(ended.err).not.toMatch(/^\s+at /m);
}

function transcriptOf({ home }: Place): string {
  const names = readdirSync(home, { recursive: true, encoding: 'utf8' });
  const path = join(home, names.find((name) => /[0-9a-f-]{36}\.jsonl$/.test(name)) ?? '');
  expect(statSync(path).size).toBeGreaterThan(0);
  return path;
}
