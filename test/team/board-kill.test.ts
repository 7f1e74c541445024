import { expect, test } from 'bun:test';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { systemClock } from '../../src/lib/clock.ts';
import { systemMachine } from '../../src/lib/machine.ts';
import { openBoard } from '../../src/team/board/board.ts';
import { listReady } from '../../src/team/board/links.ts';
import { bob, need, refusal } from './board-support.ts';
import { newTeam } from './support.ts';

test('TM6 the claim of a process that is killed with -9 is void at once', async () => {
  const { home, place, members } = newTeam();
  const board = openBoard({
    ...{ directory: place.board, machine: systemMachine, clock: systemClock },
    isAlive: (member, incarnation) => members.isAlive(member, incarnation),
  });
  const { id } = need(board.create({ subject: 'A' }, { name: 'team-lead' }));
  const script = join(import.meta.dirname, 'claimant.script.ts');
  const child = spawn(process.execPath, [script, home, id], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  expect(board.find(id)).toMatchObject({ owner: 'alice', status: 'in_progress' });
  expect(refusal(board.claim(id, bob))).toBe(`${id} "A" is claimed by alice.`);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(listReady(board.list()).map((item) => item.id)).toEqual([id]);
  // Bob holds no address here, so his own claim would be void: it has no incarnation to end with.
  expect(need(board.claim(id, { name: 'bob' }))).toMatchObject({ owner: 'bob', status: 'in_progress' });
});
