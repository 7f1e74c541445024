import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { forgetHold, listStoredHolds } from '../../src/models/pacer/stored-holds.ts';
import { temporaryDirectory } from '../support/index.ts';

test('limits of hours that are in force are listed, and can be forgotten; others are not', () => {
  const { path: home } = temporaryDirectory();
  const folder = join(home, 'pacing', 'anthropic-model-0123');
  mkdirSync(folder, { recursive: true });
  const put = (name: string, delayMs: number) => {
    const hold = { at: 1_000, delayMs, cause: 'rate_limited' };
    writeFileSync(join(folder, name), JSON.stringify({ sessions: 1, hold }));
    return join(folder, name);
  };
  const long = put('1-a-b.json', 7_200_000);
  const short = put('2-a-b.json', 60_000);
  const holds = listStoredHolds(home, 2_000);
  expect(holds).toEqual([{ path: long, model: 'anthropic-model-0123', until: 7_201_000 }]);
  expect(listStoredHolds(home, 8_000_000)).toEqual([]);
  for (const hold of holds) forgetHold(hold);
  expect([existsSync(long), existsSync(short)]).toEqual([false, true]);
});
