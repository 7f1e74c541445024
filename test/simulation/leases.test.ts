import { expect, test } from 'bun:test';
import { exploreAll, playPath } from './explore.ts';
import { type LeaseCase, playLeases } from './lease-cases.ts';
import { linkOver } from './plants.ts';

const cases: readonly LeaseCase[] = [
  'claim and claim',
  'wake and steal',
  'leave and claim',
  'wake, steal and steal',
];

for (const name of cases)
  test(`leases: ${name}, in every order of their operations: an epoch is won once, and the passed one is refused`, async () => {
    const found = await exploreAll((choose) => playLeases(name, choose, { switches: 2, kills: 0 }));
    expect(found.fault).toBeUndefined();
    expect(found.paths).toBeGreaterThan(100);
  }, 120_000);

for (const name of cases)
  test(`leases: ${name}, and one of them is killed at any operation`, async () => {
    const found = await exploreAll((choose) => playLeases(name, choose, { switches: 1, kills: 1 }));
    expect(found.fault).toBeUndefined();
    expect(found.paths).toBeGreaterThan(100);
  }, 120_000);

test('a planted double claim is found, and its path shows it again', async () => {
  const play = (choose: Parameters<typeof playLeases>[1]) =>
    playLeases('claim and claim', choose, { switches: 2, kills: 0 }, linkOver);
  const { fault } = await exploreAll(play);
  expect(fault?.reason).toContain('won twice');
  expect(await playPath(fault?.path ?? [], play)).toBe(fault?.reason);
}, 120_000);
