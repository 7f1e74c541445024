import { expect, test } from 'bun:test';
import { exploreAll, playPath } from './explore.ts';
import { type IdleCase, lookOnce, playIdle } from './idle-cases.ts';
import { listOnce, playClaims, playMail, slowList } from './mail-cases.ts';

test('TM4 two processes send while one reads, in every order of their operations: nothing lost, doubled or out of order', async () => {
  const found = await exploreAll((choose) => playMail(choose, { switches: 2, kills: 0 }));
  expect(found.fault).toBeUndefined();
  expect(found.paths).toBeGreaterThan(1_000);
}, 120_000);

test('TM4 the same, and one of them is killed at any operation', async () => {
  const found = await exploreAll((choose) => playMail(choose, { switches: 1, kills: 1 }));
  expect(found.fault).toBeUndefined();
  expect(found.paths).toBeGreaterThan(1_000);
}, 120_000);

test('a planted look that lists only once is found, and its path shows it again', async () => {
  const play = (choose: Parameters<typeof playMail>[0]) =>
    playMail(choose, { switches: 2, kills: 0 }, (disk) => listOnce(slowList(disk)));
  const { fault } = await exploreAll(play);
  expect(fault?.reason).toContain('out of order');
  expect(await playPath(fault?.path ?? [], play)).toBe(fault?.reason);
}, 120_000);

test('TM11 processes that hold an address one after the other, killed at any operation: each is a later incarnation, and sends above the one before', async () => {
  const found = await exploreAll((choose) => playClaims(choose, { switches: 1, kills: 1 }));
  expect(found.fault).toBeUndefined();
  expect(found.paths).toBeGreaterThan(1_000);
}, 120_000);

for (const posters of [1, 2])
  test(`TM13 mail of ${posters === 1 ? 'one process' : 'two processes'} in every order of post, look, idle and wake: no mail is left unread by an idle agent`, async () => {
    const found = await exploreAll((choose) => playIdle({ posters }, choose));
    expect(found.fault).toBeUndefined();
    expect(found.paths).toBeGreaterThan(5 ** posters);
  }, 120_000);

test('a planted step to idle without a second look is found, and its path shows it again', async () => {
  const wrong: IdleCase = { posters: 1, plant: lookOnce };
  const { fault } = await exploreAll((choose) => playIdle(wrong, choose));
  expect(fault?.reason).toContain('idle, and mail waits');
  expect(await playPath(fault?.path ?? [], (choose) => playIdle(wrong, choose))).toBe(fault?.reason);
}, 120_000);
