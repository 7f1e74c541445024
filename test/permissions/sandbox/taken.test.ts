import { describe, expect } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { needs } from '../../support/index.ts';
import { held, put, room, run } from './support.ts';

const test = needs('bwrap');

describe('what was taken away', () => {
  test('is private, and can be put back: a list says where it was', async () => {
    const at = room();
    put(at, { 'a/b/x': '', 'a_b/x': '' });
    await run(at, 'echo one > a/b/.npmrc; echo two > a_b/.npmrc');
    const [place = ''] = readdirSync(join(at.home, 'taken'));
    const directory = join(at.home, 'taken', place);
    const where = JSON.parse(readFileSync(join(directory, 'where.json'), 'utf8'));
    const texts = Object.entries<string>(where).map(([name, path]) => [
      path.slice(at.cwd.length + 1),
      readFileSync(join(directory, name), 'utf8').trim(),
    ]);
    expect(Object.fromEntries(texts)).toEqual({ 'a/b/.npmrc': 'one', 'a_b/.npmrc': 'two' });
    expect(statSync(directory).mode & 0o777).toBe(0o700);
  });

  test('outlives the session, and the user is told where it is', async () => {
    const at = room();
    put(at, { 'a/b/x': '' });
    await run(at, 'echo one > a/b/.npmrc');
    at.sandbox.close();
    rmSync(join(at.home, 'session'), { recursive: true, force: true });
    expect(held(at)).toEqual([join(at.cwd, 'a/b/.npmrc')]);
    expect(at.notices[0]).toContain(join(at.home, 'taken'));
  });

  test('a long list is cut', async () => {
    const at = room();
    const { notes } = await run(at, 'for i in $(seq 60); do mkdir -p a/$i; touch a/$i/.npmrc; done');
    expect(notes[0]).toContain('and 50 more');
    expect(held(at)).toHaveLength(60);
  });
});

test('directories beyond the first thousands are looked through a moment later', async () => {
  const at = room();
  for (let index = 0; index < 3000; index++)
    mkdirSync(join(at.cwd, `d${index % 30}/e${index}`), { recursive: true });
  const ran = await run(at, 'for i in $(seq 0 2999); do : > d$((i % 30))/e$i/.npmrc; done');
  while (held(at).length < 3000) await Bun.sleep(20);
  const left = execFileSync('find', [at.cwd, '-name', '.npmrc'], { encoding: 'utf8' });
  expect(left).toBe('');
  const next = await run(at, 'true');
  expect([...ran.notes, ...next.notes].join()).toContain('were moved to');
});

test('a session that closes finishes looking first', async () => {
  const at = room();
  for (let index = 0; index < 3000; index++)
    mkdirSync(join(at.cwd, `d${index % 30}/e${index}`), { recursive: true });
  await run(at, 'touch d29/e2999/.npmrc d0/e0/.npmrc d14/e2984/.npmrc');
  at.sandbox.close();
  expect(held(at)).toHaveLength(3);
});
