import { expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/lib/clock.ts';
import { systemMachine } from '../../src/lib/machine.ts';
import { openBoard } from '../../src/team/board/board.ts';
import { temporaryDirectory } from '../support/index.ts';

test('TM16 the script of docs/formats.md adds an item to a board', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/formats.md'), 'utf8');
  const [, script = ''] = /```sh\n(# add an item\n.*?)```/s.exec(page) ?? [];
  const { path } = temporaryDirectory();
  execFileSync('sh', ['-euc', script], {
    env: { PATH: process.env.PATH ?? '', CADRE_HOME: path, TEAM: 'web' },
  });
  const directory = join(path, 'teams', 'web', 'board');
  const told: string[] = [];
  const board = openBoard({
    directory,
    machine: systemMachine,
    clock: systemClock,
    told: (problem) => told.push(problem),
  });
  expect(board.list()).toMatchObject([{ subject: 'Check the build', createdBy: 'program:build' }]);
  expect(told).toEqual([]);
});
