import { expect, test } from 'bun:test';
import { type BoardCase, playBoard, seemsThere } from './board-cases.ts';
import { exploreAll, playPath } from './explore.ts';
import { linkOver } from './plants.ts';

const cases: readonly BoardCase[] = ['claim and claim', 'claim and many changes', 'links from both sides'];

for (const name of cases)
  test(`TM6 board: ${name}, in every order of their operations: one winner, nothing lost, no loop`, async () => {
    const found = await exploreAll((choose) => playBoard(name, choose, { switches: 2, kills: 0 }));
    expect(found.fault).toBeUndefined();
    expect(found.paths).toBeGreaterThan(100);
  }, 120_000);

for (const name of ['claim and claim', 'claim and many changes'] as const)
  test(`TM6 board: ${name}, and one of them is killed at any operation`, async () => {
    const found = await exploreAll((choose) => playBoard(name, choose, { switches: 1, kills: 1 }));
    expect(found.fault).toBeUndefined();
    expect(found.paths).toBeGreaterThan(100);
  }, 120_000);

const plants = [
  { what: 'a link that replaces what exists', name: 'claim and claim', plant: linkOver, shows: 'won' },
  {
    what: 'a removed revision that is not noticed',
    name: 'claim and many changes',
    plant: seemsThere,
    shows: 'A won',
  },
] as const;

for (const { what, name, plant, shows } of plants)
  test(`a planted fault is found, and its path shows it again: ${what}`, async () => {
    const play = (choose: Parameters<typeof playBoard>[1]) =>
      playBoard(name, choose, { switches: 2, kills: 0 }, plant);
    const { fault } = await exploreAll(play);
    expect(fault?.reason).toContain(shows);
    expect(await playPath(fault?.path ?? [], play)).toBe(fault?.reason);
  }, 120_000);
