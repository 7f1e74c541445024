import { expect } from 'bun:test';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeLeft, setLeftAside } from '../../../src/permissions/sandbox/left-sandboxes.ts';
import { needs, temporaryDirectory } from '../../support/index.ts';
import { asUser } from './as-user.ts';
import { catchPipes } from './channels-inside.ts';

const test = needs('bwrap');

test('a background command catches no pipe of another one, for root', async () => {
  expect(await catchPipes(temporaryDirectory().path)).toEqual({ outputs: ['said\n'], caught: false });
}, 60_000);

test('a background command catches no pipe of another one, for an ordinary user', async () => {
  const found = await asUser('channels-inside.ts', 'catchPipes');
  expect(found).toEqual({ outputs: ['said\n'], caught: false });
}, 60_000);

test('the private /tmp of killed sessions goes, also what a command closed; that of a live one stays', async () => {
  const { path } = temporaryDirectory();
  for (const id of ['dead', 'live', 'plain']) mkdirSync(join(path, 'project', id), { recursive: true });
  for (const id of ['dead', 'live']) {
    mkdirSync(join(path, 'project', id, 'sandbox/tmp/closed/deep'), { recursive: true });
    writeFileSync(join(path, 'project', id, 'sandbox/tmp/closed/deep/file'), '', { mode: 0 });
  }
  const { path: home } = temporaryDirectory();
  setLeftAside(path, home, (id) => id !== 'live');
  expect(readdirSync(join(home, 'sandboxes'))).toHaveLength(1);
  expect(await removeLeft(home)).toBe(true);
  expect(readdirSync(home)).toEqual([]);
  expect(['dead', 'live', 'plain'].map((id) => readdirSync(join(path, 'project', id)))).toEqual([
    [],
    ['sandbox'],
    [],
  ]);
});
