import { expect, test } from 'bun:test';
import { exploreAll, playPath } from './explore.ts';
import { type FenceCase, playFence } from './fence-cases.ts';
import { hideEpochs } from './plants.ts';

const cases: readonly [FenceCase, number][] = [
  ['wake and take over', 2],
  ['wake, take over and take over', 1],
];

for (const [name, switches] of cases)
  test(`writers of one transcript: ${name}, in every order: what is announced stays, and the next owner has read it`, async () => {
    const found = await exploreAll((choose) => playFence(name, choose, { switches, kills: 0 }));
    expect(found.fault).toBeUndefined();
    expect(found.paths).toBeGreaterThan(100);
  }, 120_000);

test('the same, and one of two writers is killed at any operation', async () => {
  const play = (choose: Parameters<typeof playFence>[1]) =>
    playFence('wake and take over', choose, { switches: 0, kills: 1 });
  expect((await exploreAll(play)).fault).toBeUndefined();
}, 120_000);

test('a planted reader that accepts stale epochs is found, and its path shows it again', async () => {
  const play = (choose: Parameters<typeof playFence>[1]) =>
    playFence('wake and take over', choose, { switches: 2, kills: 0 }, hideEpochs);
  const { fault } = await exploreAll(play);
  expect(fault?.reason).toContain('has not read');
  expect(await playPath(fault?.path ?? [], play)).toBe(fault?.reason);
}, 120_000);
