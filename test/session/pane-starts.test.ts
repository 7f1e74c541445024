import { expect, test } from 'bun:test';
import { manualClock } from '../../src/lib/clock.ts';
import { watchStarts } from '../../src/session/team/pane-starts.ts';
import { aTick } from '../support/index.ts';

test('TM2 a pane whose program does not start in time is told once; one whose pane is gone at once', async () => {
  const clock = manualClock();
  const records = new Map([
    ['slow', '1-a'],
    ['gone', '1-b'],
    ['here', '1-c'],
  ]);
  const told: string[] = [];
  const starts = watchStarts({
    clock,
    members: {
      read: (name) => ({ incarnation: records.get(name) ?? '', wanted: 'running' }),
      isAlive: () => false,
    },
    isActive: async (name) => name !== 'gone',
    async lost(name, reason) {
      told.push(`${name}: ${reason}`);
    },
  });
  for (const [name, incarnation] of records) starts.await(name, incarnation);
  // It has taken its place: another incarnation holds the address.
  records.set('here', '2-c');
  clock.advance(1_000);
  await aTick();
  expect(told).toEqual(['gone: its pane is gone']);
  for (let second = 0; second < 60; second += 5) {
    clock.advance(5_000);
    await aTick();
  }
  expect(told).toEqual(['gone: its pane is gone', 'slow: its program did not start in its pane']);
});
