import { expect, test } from 'bun:test';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recoverLandings } from '../../src/landing/moving/recover.ts';
import { randomIds } from '../../src/lib/ids.ts';
import { ownerVariable, sweepMarked } from '../../src/lib/processes/process.ts';
import { type Field, field } from './support.ts';

const count = 3000;
const script = join(import.meta.dirname, 'land.script.ts');

/** Killed so many milliseconds after a step of which it tells. */
function killedAfter(at: Field, step: string, afterMs: number, alsoGit: boolean): Promise<boolean> {
  const owner = `kill-${randomIds.token(12)}`;
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [script, at.repository.path, at.home, 'tell'], {
      env: { ...process.env, [ownerVariable]: owner },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let told = '';
    child.stdout.on('data', (chunk) => {
      if (told.includes(step)) return;
      told += chunk;
      if (!told.includes(step)) return;
      setTimeout(() => {
        child.kill('SIGKILL');
        if (alsoGit) sweepMarked(owner);
      }, afterMs);
    });
    child.once('exit', (_, signal) => resolve(signal === 'SIGKILL'));
  });
}

async function manyFiles(): Promise<Field> {
  const files = Object.fromEntries(
    Array.from({ length: count }, (_, n) => [`d${n % 30}/f${n}`, `old ${n}\n`]),
  );
  const at = await field({ ...files, 'mine.txt': 'old\n', 'staged.txt': 'old\n' });
  const { path } = await at.work('one', { 'new.txt': 'new\n' });
  for (let n = 0; n < count; n++) writeFileSync(join(path, `d${n % 30}/f${n}`), `new ${n}\n`);
  execFileSync('rm', ['-r', join(path, 'd7')]);
  await at.repository.write('mine.txt', 'mine\n');
  await at.repository.write('staged.txt', 'staged\n');
  await at.repository.git('add', 'staged.txt');
  return at;
}

async function isOldOrNew(at: Field): Promise<void> {
  const isNew = existsSync(at.repository.file('new.txt'));
  expect(await at.repository.git('log', '-1', '--format=%s')).toBe(isNew ? 'Work in one\n' : 'Start\n');
  expect(existsSync(at.repository.file('d7'))).toBe(!isNew);
  expect(await at.repository.read('d0/f0')).toBe(isNew ? 'new 0\n' : 'old 0\n');
  expect(await at.repository.read(`d29/f${count - 1}`)).toBe(`${isNew ? 'new' : 'old'} ${count - 1}\n`);
  expect(await at.repository.git('status', '--porcelain')).toBe(' M mine.txt\nM  staged.txt\n');
  expect(readdirSync(`${at.home}/landing`)).toEqual([]);
  expect(readdirSync(at.repository.file('.git')).filter((name) => name === 'index.lock')).toEqual([]);
  expect(existsSync(at.repository.file('.git/cadre-landing'))).toBe(false);
}

const moments: [string, number, boolean][] = [
  ['locked', 60, false],
  ['locked', 90, true],
  ['journaled', 5, false],
  ['journaled', 30, false],
  ['journaled', 90, true],
];

for (const [step, afterMs, alsoGit] of moments)
  test(`R14 killed ${afterMs} ms after "${step}" of ${count} files${alsoGit ? ', git too' : ''}: the old state or the new one`, async () => {
    const at = await manyFiles();
    await killedAfter(at, step, afterMs, alsoGit);
    await recoverLandings(at.landing.world);
    await isOldOrNew(at);
  }, 180_000);
