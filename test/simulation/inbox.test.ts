import { expect, test } from 'bun:test';
import { exploreAll, playPath } from './explore.ts';
import { type Coming, measureRun, playInbox } from './inbox-cases.ts';
import { sleepOnOldAnswer } from './plants.ts';

const kinds: readonly Coming[] = ['queued', 'steering', 'taskEnd', 'interrupt'];

for (const withTool of [false, true])
  test(`a letter that comes at any moment of a run ${withTool ? 'with a tool call' : 'without calls'} is read exactly once`, async () => {
    const ticks = await measureRun({ withTool });
    for (const kind of kinds) {
      const found = await exploreAll((choose) => playInbox({ come: [kind], withTool }, ticks, choose));
      expect({ kind, fault: found.fault }).toEqual({ kind, fault: undefined });
      expect(found.paths).toBeGreaterThan(ticks);
    }
  }, 120_000);

for (const come of [
  ['queued', 'taskEnd'],
  ['interrupt', 'steering'],
  ['taskEnd', 'taskEnd'],
  ['steering', 'queued'],
] as const)
  test(`${come.join(' and then ')}, each at any moment of a run: nothing is lost or read twice`, async () => {
    const ticks = await measureRun({ withTool: false });
    const found = await exploreAll((choose) => playInbox({ come, withTool: false }, ticks, choose));
    expect(found.fault).toBeUndefined();
    expect(found.paths).toBeGreaterThan((ticks * ticks) / 2);
  }, 120_000);

test('a planted lost wake is found, and its path shows it again', async () => {
  const ticks = await measureRun({ withTool: false });
  const wrong = { come: ['taskEnd'] as const, withTool: false, plant: sleepOnOldAnswer };
  const { fault } = await exploreAll((choose) => playInbox(wrong, ticks, choose));
  expect(fault?.reason).toContain('a letter waits');
  expect(await playPath(fault?.path ?? [], (choose) => playInbox(wrong, ticks, choose))).toBe(fault?.reason);
}, 120_000);
