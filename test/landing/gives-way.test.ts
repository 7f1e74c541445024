import { expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { land } from '../../src/landing/land.ts';
import { expectOk, field, yes } from './support.ts';

test('others have their turn while thousands of files are put in place', async () => {
  const at = await field();
  const { path } = await at.work('many', { 'new.txt': 'new\n' });
  mkdirSync(join(path, 'd'));
  for (let n = 0; n < 3000; n++) writeFileSync(join(path, 'd', `f${n}`), `new ${n}\n`);
  let turns = 0;
  const seen = new Map<string, number>();
  const tick = () => {
    turns++;
    if (!seen.has('placed') || seen.get('end') === undefined) setImmediate(tick);
  };
  const step = (name: string) => {
    if (name === 'journaled') setImmediate(tick);
    seen.set(name, turns);
  };
  expectOk(await land({ ...at.landing, world: { ...at.landing.world, step } }, { agree: yes }));
  seen.set('end', turns);
  expect(seen.get('journaled')).toBe(0);
  expect(seen.get('placed')).toBeGreaterThan(2);
}, 60_000);
