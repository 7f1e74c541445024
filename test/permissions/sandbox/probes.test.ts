import { expect } from 'bun:test';
import { sandboxProbes } from '../../proof/sandbox-probes.ts';
import { needs, temporaryDirectory } from '../../support/index.ts';
import { asUser } from './as-user.ts';
import { type Probed, probeInside } from './probes-inside.ts';

const test = needs('bwrap');

const everyday = 'A\nread\nx\ny\n';

test('nothing that is tried from inside is open, for root', async () => {
  const { open, tried, works, proven } = await probeInside(temporaryDirectory().path);
  expect(open).toEqual([]);
  expect(tried).toBeGreaterThan(150);
  expect([works, proven]).toEqual([everyday, true]);
}, 60_000);

test('nothing that is tried from inside is open, for an ordinary user', async () => {
  const found = await asUser<Probed>('probes-inside.ts', 'probeInside');
  expect(found.open).toEqual([]);
  expect(found.tried).toBeGreaterThan(150);
  expect([found.works, found.proven]).toEqual([everyday, true]);
}, 60_000);

test('each probe has a name of its own and says what it would have changed', () => {
  const ground = {
    ...{ userHome: '/h', home: '/o', cwd: '/w', elsewhere: '/e', outside: '/e/o' },
    port: 1,
    pid: 1,
  };
  const probes = sandboxProbes(ground);
  expect(new Set(probes.map(({ name }) => name)).size).toBe(probes.length);
  expect(probes.filter(({ would }) => would.length < 5)).toEqual([]);
});
