import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/lib/clock.ts';
import { findOwned, spawnOwned } from '../../src/lib/processes/process.ts';
import { claimSession, isClaimed, sweepDead } from '../../src/session/owner.ts';
import { temporaryDirectory } from '../support/index.ts';

const id = '00000000-0000-4000-8000-000000000001';

function home() {
  const { path } = temporaryDirectory();
  const directory = join(path, 'home/projects/p', id);
  return { home: join(path, 'home'), directory, transcript: `${directory}.jsonl`, sessionId: id };
}

function dead(at: string, name = `${id}.json`) {
  mkdirSync(join(at, 'running'), { recursive: true, mode: 0o700 });
  writeFileSync(join(at, 'running', name), JSON.stringify({ pid: 999_999_999, start: '1' }));
}

test('a session is claimed once; whoever comes second is told who has it', () => {
  const at = home();
  const first = claimSession(at);
  expect(first.ok).toBe(true);
  expect(claimSession(at)).toMatchObject({
    ok: false,
    problem: { kind: 'usage', message: expect.stringContaining('already open here') },
  });
  expect(isClaimed(at.home, id)).toBe(true);
  if (first.ok) first.value.release();
  expect(isClaimed(at.home, id)).toBe(false);
  expect(readdirSync(join(at.home, 'running'))).toEqual([]);
});

test('of many processes that claim at once exactly one wins', async () => {
  const at = home();
  const script = `
    import { claimSession } from ${JSON.stringify(join(import.meta.dirname, '../../src/session/owner.ts'))};
    const claim = claimSession(${JSON.stringify(at)});
    console.log(claim.ok);
    await Bun.stdin.text();
  `;
  dead(at.home);
  const racers = Array.from({ length: 6 }, () =>
    Bun.spawn([process.execPath, '-e', script], { stdin: 'pipe', stdout: 'pipe' }),
  );
  const firstLine = async (racer: (typeof racers)[number]) => {
    const reader = racer.stdout.getReader();
    const { value } = await reader.read();
    return new TextDecoder().decode(value).trim();
  };
  const answers = await Promise.all(racers.map(firstLine));
  for (const racer of racers) racer.stdin.end();
  await Promise.all(racers.map((racer) => racer.exited));
  expect(answers.filter((answer) => answer === 'true')).toHaveLength(1);
});

test('a claim whose process is gone counts for nothing', () => {
  const at = home();
  dead(at.home);
  expect(claimSession(at).ok).toBe(true);
});

test('G5 what a killed session left running is ended at the next start of any session', async () => {
  const at = home();
  dead(at.home);
  const left = spawnOwned({
    file: '/bin/sh',
    args: ['-c', 'setsid sleep 300 & sleep 300'],
    cwd: '/',
    env: { PATH: process.env.PATH ?? '' },
    owner: id,
    clock: systemClock,
    output() {},
  });
  while (findOwned({ owner: id }).length < 2) await Bun.sleep(5);
  sweepDead(at.home);
  await left.ended;
  expect(findOwned({ owner: id })).toEqual([]);
  expect(readdirSync(join(at.home, 'running'))).toEqual([]);
});

test('a living session is left alone by the sweep', () => {
  const at = home();
  const claim = claimSession(at);
  sweepDead(at.home);
  expect(existsSync(join(at.home, 'running', `${id}.1.json`))).toBe(true);
  if (claim.ok) claim.value.release();
});

test('of many processes that start, claim and clear up at once each gets its own session', async () => {
  const at = home();
  const source = (name: string) => JSON.stringify(join(import.meta.dirname, '../../src', name));
  const script = `
    import { claimSession, sweepDead } from ${source('session/owner.ts')};
    const failed = [];
    for (let round = 0; round < 150; round++) {
      const home = ${JSON.stringify(at.home)};
      // As every start does; a home counts as swept once in a process.
      sweepDead(home + '/'.repeat(round));
      const claim = claimSession({ home, sessionId: crypto.randomUUID(), directory: home + '/none', transcript: home + '/none.jsonl' });
      if (claim.ok) claim.value.release();
      else failed.push(claim.problem.message);
    }
    console.log(JSON.stringify(failed.slice(0, 3)));
  `;
  const racers = Array.from({ length: 6 }, () =>
    Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe' }),
  );
  const failed = await Promise.all(racers.map((racer) => new Response(racer.stdout).text()));
  expect(failed.map((text) => text.trim())).toEqual(racers.map(() => '[]'));
});
