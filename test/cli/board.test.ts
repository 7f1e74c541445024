import { expect, test } from 'bun:test';
import { systemClock } from '../../src/lib/clock.ts';
import { systemMachine } from '../../src/lib/machine.ts';
import { openMembers } from '../../src/team/members.ts';
import { locateTeam } from '../../src/team/team-place.ts';
import { createTeam } from '../../src/team/team-record.ts';
import { call, fakeProvider, say } from '../../src/testing/index.ts';
import { cadre, newPlace, type Place } from './support.ts';

function newTeam(place: Place) {
  const around = { home: place.home, machine: systemMachine, clock: systemClock };
  const made = createTeam({ name: 'web', leaderSession: 'none', cwd: place.cwd }, around);
  if (!made.ok) throw new Error(made.problem.message);
  return openMembers(locateTeam(place.home, 'web'), systemMachine, systemClock);
}

test('TM16 cadre board adds, lists, claims and completes items of a team', async () => {
  const place = newPlace();
  newTeam(place);
  const board = async (...words: string[]) =>
    (await cadre(['board', ...words, '--team', 'web'], { place })).out;
  const add = async (...words: string[]) => JSON.parse(await board('add', ...words, '--json')).id as string;
  const parse = await add('Parse', '--description', 'The parser.');
  const print = await add('Print', '--blocked-by', parse, '--owner', 'alice');
  expect(await board('list')).toBe(
    `Team web\n${parse} [pending] Parse\n${print} [pending] Print, assigned to alice, blocked by ${parse}\n`,
  );
  expect(await board('ready')).toBe(`Team web\n${parse} [pending] Parse\n`);
  expect(await board('graph')).toBe(
    `Team web\n${parse} [pending] Parse\n  └ ${print} [pending] Print, assigned to alice\n`,
  );
  expect(await board('claim', parse, '--as', 'ci')).toBe(`${parse} [in_progress] Parse, by program:ci\n`);
  expect(await board('claim', parse, '--as', 'ci', '--release')).toBe(`${parse} [pending] Parse\n`);
  expect(await board('done', parse)).toBe(`${parse} [completed] Parse, by user\n`);
  expect(await board('show', parse)).toContain(`blocks ${print} [pending] Print`);
  expect(JSON.parse(await board('list', '--json'))).toMatchObject({
    board: 'web',
    items: [{ id: print, blockedBy: [], owner: 'alice', format: 1 }],
  });
  expect(JSON.parse(await board('graph', '--json'))).toMatchObject({
    edges: [{ from: parse, kind: 'blocks', to: print }],
  });
});

test('TM16 a claim of a living member is respected and fails with 1; that of a dead one is void', async () => {
  const place = newPlace();
  const members = newTeam(place);
  const alice = members.claim('alice', { kind: 'session', agentId: null, sessionId: 's1' });
  if (!alice.ok) throw new Error(alice.problem.message);
  const { openBoard } = await import('../../src/team/board/board.ts');
  const directory = locateTeam(place.home, 'web').board;
  const board = openBoard({ directory, machine: systemMachine, clock: systemClock });
  const made = board.create({ subject: 'Parse' }, { name: 'alice' });
  const id = made.ok ? made.value.id : '';
  board.claim(id, { name: 'alice', incarnation: alice.value.incarnation });
  const words = ['board', 'claim', id, '--team', 'web', '--as', 'ci'];
  expect(await cadre(words, { place })).toMatchObject({
    code: 1,
    err: `cadre: ${id} "Parse" is claimed by alice.\nChoose another item, or ask its owner or the leader.\n`,
  });
  alice.value.release();
  expect(await cadre(words, { place })).toMatchObject({
    code: 0,
    out: `${id} [in_progress] Parse, by program:ci\n`,
  });
});

test('cadre board shows the board of the latest session here', async () => {
  const place = newPlace();
  await using provider = await fakeProvider({
    script: [call('TaskCreate', { subject: 'From the lead', description: '' }), say('Done.')],
  });
  expect(await cadre(['-p', 'Go'], { place, provider })).toMatchObject({ code: 0, out: 'Done.\n' });
  const { out } = await cadre(['board'], { place });
  expect(out).toMatch(/^Session [0-9a-f-]{36}\n\w{4} \[pending\] From the lead\n$/);
});

test('what cannot be found is named with what there is, and ends with 2', async () => {
  const place = newPlace();
  newTeam(place);
  expect(await cadre(['board'], { place })).toMatchObject({ code: 2 });
  expect(await cadre(['board', '--team', 'api'], { place })).toMatchObject({
    ...{ code: 2, err: 'cadre: There is no team "api".\nTeams: web.\n' },
  });
  expect(await cadre(['board', 'show', 'zzzz', '--team', 'web'], { place })).toMatchObject({
    ...{ code: 2, err: 'cadre: There is no item "zzzz" on the board.\nThe board is empty.\n' },
  });
  expect(await cadre(['board', 'add', 'X', '--team', 'web', '--as', '../x'], { place })).toMatchObject({
    code: 2,
  });
});
