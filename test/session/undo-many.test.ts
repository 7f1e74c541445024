import { expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { systemClock } from '../../src/lib/clock.ts';
import { plainGround, runCommands } from './undo-ground.ts';

const count = 5_000;

test('5,000 files that git does not have come back after the first command of a session removed them', async () => {
  const ground = plainGround();
  for (let index = 0; index < count; index++)
    ground.write(`src/d${index % 100}/f${index}`, `content ${index}\n`.repeat(20));
  const before = ground.tree();
  // Nothing comes before it that would start the look, and time runs as it does for a user.
  const { session, rewind } = await runCommands(ground, ['rm -rf src'], { clock: systemClock });
  expect(ground.tree()).toEqual({});
  const { restored, refused, isIncomplete } = await rewind('rm -rf src');
  expect([restored.length, refused, isIncomplete]).toEqual([count, [], false]);
  expect(ground.tree()).toEqual(before);
  await session.close();
  // Here, since it takes longer than the time for what comes after a test.
  for (const path of [ground.cwd, ground.home]) rmSync(path, { recursive: true });
}, 240_000);

test('tracked files and new ones come back after the first command of a session removed them', async () => {
  const ground = plainGround();
  for (let index = 0; index < 1_000; index++)
    ground.write(`src/d${index % 100}/f${index}`, `content ${index}\n`);
  ground.git('init', '-q');
  ground.git('add', '-A');
  ground.git('commit', '-qm', 'Start');
  for (let index = 0; index < 300; index++) ground.write(`src/new/f${index}`, `new ${index}\n`);
  const before = ground.tree();
  const { session, rewind } = await runCommands(ground, ['rm -rf src'], { clock: systemClock });
  const { restored, refused, isIncomplete } = await rewind('rm -rf src');
  expect([restored.length, refused, isIncomplete]).toEqual([1_300, [], false]);
  expect(ground.tree()).toEqual(before);
  await session.close();
}, 120_000);
