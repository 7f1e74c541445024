import { expect } from 'bun:test';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { needs, smallDisk, temporaryDirectory } from '../../support/index.ts';
import { held, put, type Room, room, roomIn, run } from './support.ts';

const test = needs('bwrap');
const full = smallDisk(2_000);

/** A workspace on another disk than Cadre's own directory. */
function elsewhere(at: Room): Room {
  return { ...at, cwd: temporaryDirectory('/dev/shm').path };
}

function listed(directory: string): string[] {
  return existsSync(directory)
    ? execFileSync('find', [directory], { encoding: 'utf8' }).trim().split('\n')
    : [];
}

/** All names in what was taken away. */
function takenNames({ home }: Room): string[] {
  return listed(join(home, 'taken')).map((path) => path.replace(/.*\//, ''));
}

test('on another disk a file beyond the limit is removed and named, and what is small is kept', async () => {
  const at = elsewhere(room());
  const { notes } = await run(
    at,
    'mkdir -p sub/.vscode/d; echo evil > sub/.vscode/d/tasks.json; truncate -s 300G sub/.vscode/big; mkfifo sub/.vscode/pipe',
  );
  expect(readdirSync(join(at.cwd, 'sub'))).toEqual([]);
  expect(notes.join('\n')).toContain(`Parts not kept: ${at.cwd}/sub/.vscode/big (it has 322122547200 bytes)`);
  expect(takenNames(at)).toContain('tasks.json');
  expect(takenNames(at)).not.toContain('big');
});

full.test(
  'where the disk of Cadre’s own directory is full, the protected name goes and no part of a copy stays',
  async () => {
    const at = elsewhere(roomIn(full.path));
    await run(at, 'true');
    await full.whileFull(64 * 1024, async () => {
      const { notes } = await run(at, 'mkdir -p sub/.vscode; head -c 300000 /dev/urandom > sub/.vscode/big');
      expect(notes.join('\n')).toContain('sub/.vscode/big (ENOSPC');
    });
    expect(readdirSync(join(at.cwd, 'sub'))).toEqual([]);
    expect(takenNames(at)).not.toContain('big');
  },
);

test('another process that holds what was taken away cannot add to it', async () => {
  const at = room();
  put(at, { 'sub/x': '' });
  const adding =
    'until test -e started; do sleep 0.01; done; mkdir .vscode && cd .vscode; i=0; while : > f$i; do i=$((i + 1)); done 2> /dev/null';
  await run(at, 'true');
  const writer = spawn('sh', ['-c', adding], { cwd: join(at.cwd, 'sub'), stdio: 'ignore' });
  const ended = new Promise((resolve) => writer.once('exit', resolve));
  await run(at, 'touch sub/started; until test -e sub/.vscode/f1; do sleep 0.01; done');
  // Its directory is gone, so it cannot make another file.
  await ended;
  expect(takenNames(at)).toContain('f1');
  expect(held(at)).toEqual([join(at.cwd, 'sub/.vscode')]);
  expect(existsSync(join(at.home, 'sandboxes'))).toBe(false);
});

test('a file that was taken away is a copy, which whoever has the original open cannot change', async () => {
  const at = room();
  mkdirSync(join(at.cwd, 'sub'));
  const { notes } = await run(at, 'echo one > sub/.npmrc; ln sub/.npmrc other');
  expect(notes.join()).toContain('were moved to');
  await run(at, 'echo more >> other');
  const [place = ''] = readdirSync(join(at.home, 'taken'));
  expect(readFileSync(join(at.home, 'taken', place, '1-.npmrc'), 'utf8')).toBe('one\n');
});
