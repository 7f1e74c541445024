import { expect, test } from 'bun:test';
import type { Question } from '../../src/protocol/index.ts';
import { call, say } from '../../src/testing/index.ts';
import { gate, openStory, quiet, type Story } from '../agents/support.ts';
import { until } from '../support/index.ts';
import { place } from './support.ts';
import { create, heard, kinds, leadThat, mailOf, states, write } from './team-support.ts';

test('TM4 TM12 a session that joins a team reads its mail, reports, and leaves when its leader asks', async () => {
  const at = place();
  const leader = await openStory(
    {
      lead: leadThat({
        Go: [create],
        Write: [write('carol', 'Look into a.txt.')],
        Stop: [write('carol', { type: 'shutdown_request', reason: 'done' })],
      }),
      agents: {},
    },
    {},
    at,
  );
  await leader.prompt('Go');
  const ends: string[] = [];
  const member = await openStory(
    { lead: [say('a.txt is fine.')], agents: {} },
    { teamMember: 'carol@crew', onTeamEnd: (reason) => void ends.push(reason) },
    at,
  );
  await until(() => states(leader).carol === 'idle');
  await leader.prompt('Write');
  await until(() => heard(leader.leadRequests()).includes('a.txt is fine.'));
  expect(heard(member.leadRequests())).toMatch(
    /when you joined:[\s\S]*from="team-lead"[\s\S]*Look into a.txt./,
  );
  expect(member.leadRequests()[0]?.system.join('\n')).toContain('You are carol, a teammate in the team crew');
  await until(() => kinds(member).includes('carol idle team-lead'));
  await leader.prompt('Stop');
  await until(() => ends.length > 0 && states(leader).carol === 'ended');
  await quiet(leader);
  await until(() => heard(leader.leadRequests()).includes('carol has shut down'));
  expect(ends).toEqual(['the leader of its team asked it to shut down']);
  await member.session.close();
  await leader.session.close();
});

test('PE4 a question of a member in another session is answered in the queue of its leader, with its badge', async () => {
  const at = place();
  const questions: Question[] = [];
  const leader = await openStory(
    { lead: leadThat({ Go: [create], Write: [write('carol', 'Write a.txt.')] }), agents: {} },
    {
      onQuestion: async (question) => {
        questions.push(question);
        return { behaviour: 'allow' };
      },
    },
    at,
  );
  await leader.prompt('Go');
  const member = await openStory(
    { lead: [call('Write', { file_path: 'a.txt', content: 'a' }), say('Written.')], agents: {} },
    { teamMember: 'carol@crew', attended: true },
    at,
  );
  await until(() => states(leader).carol === 'idle');
  await leader.prompt('Write');
  await until(() => heard(leader.leadRequests()).includes('Written.'));
  expect(questions.map(({ asker, toolName }) => [asker.member, toolName])).toEqual([['carol@crew', 'Write']]);
  expect(kinds(leader)).toContain('team-lead permission_response carol');
  await member.session.close();
  expect(states(leader).carol).toBe('ended');
  await leader.session.close();
});

test('TM11 an address belongs to one session at a time', async () => {
  const at = place();
  const leader = await openStory({ lead: leadThat({ Go: [create] }), agents: {} }, {}, at);
  await leader.prompt('Go');
  const first = await openStory({ lead: [], agents: {} }, { teamMember: 'carol@crew' }, at);
  await until(() => states(leader).carol === 'idle');
  const second = await openStory({ lead: [], agents: {} }, { teamMember: 'carol@crew' }, at);
  await until(() =>
    second.events.some((event) => event.type === 'notice_given' && event.text.includes('carol@crew is held')),
  );
  await second.session.close();
  expect(states(leader).carol).toBe('idle');
  await first.session.close();
  await leader.session.close();
});

test('TM17 a file that one session of a team writes is refused to another until its writer is idle', async () => {
  const at = place();
  const written = gate();
  const leader = await openStory(
    {
      lead: leadThat({
        Go: [create],
        Write: [call('Glob', { pattern: '*' }), call('Write', { file_path: 'a.txt', content: 'mine' })],
        Again: [call('Read', { file_path: 'a.txt' }), call('Write', { file_path: 'a.txt', content: 'mine' })],
      }),
      agents: {},
    },
    { permissionMode: 'acceptEdits' },
    at,
  );
  await leader.prompt('Go');
  const member = await openStory(
    {
      lead: [
        call('Write', { file_path: 'a.txt', content: "carol's" }),
        () => written.opened.then(() => say('Written.')),
      ],
      agents: {},
    },
    { teamMember: 'carol@crew', permissionMode: 'acceptEdits' },
    at,
  );
  await until(() => states(leader).carol === 'idle');
  await leader.session.messageAgent('carol', 'Write a.txt.');
  await until(() => member.leadRequests().length === 2);
  await leader.prompt('Write');
  expect(leader.results().at(-1)).toContain('carol@crew');
  written.open();
  await until(() => states(leader).carol === 'idle');
  await leader.prompt('Again');
  expect(leader.results().at(-1)).not.toContain('carol@crew');
  await member.session.close();
  await leader.session.close();
});

test('PE4 a question that is answered where it was asked is taken back from the queue of the leader', async () => {
  const at = place();
  const leader = await openStory(
    { lead: leadThat({ Go: [create], Write: [write('carol', 'Write a.txt.')] }), agents: {} },
    { attended: true },
    at,
  );
  await leader.prompt('Go');
  const member = await openStory(
    { lead: [call('Write', { file_path: 'a.txt', content: 'a' }), say('Not written.')], agents: {} },
    { teamMember: 'carol@crew', attended: true },
    at,
  );
  await until(() => states(leader).carol === 'idle');
  await leader.prompt('Write');
  await until(() => leader.session.approvals.waiting().length === 1);
  const [asked] = member.session.approvals.waiting();
  expect(asked?.question.asker.member).toBe('carol@crew');
  member.session.approvals.answer(asked?.question.id ?? '', { behaviour: 'deny', message: 'no' }, 'person');
  await until(() => heard(leader.leadRequests()).includes('Not written.'));
  await until(() => leader.session.approvals.waiting().length === 0);
  await member.session.close();
  await leader.session.close();
});

test('PE4 TM8 a question of a team that has ended is taken back from the queue of its leader', async () => {
  const at = place();
  const leader = await openStory(
    {
      lead: leadThat({
        Go: [create],
        Write: [write('carol', 'Write a.txt.')],
        End: [call('TeamDelete', {})],
      }),
      agents: {},
    },
    { attended: true },
    at,
  );
  await leader.prompt('Go');
  const member = await openStory(
    { lead: [call('Write', { file_path: 'a.txt', content: 'a' }), say('Written.')], agents: {} },
    { teamMember: 'carol@crew', attended: true, settings: '{"teams":{"shutdownSeconds":1}}' },
    at,
  );
  await until(() => states(leader).carol === 'idle');
  await leader.prompt('Write');
  await until(() => leader.session.approvals.waiting().length === 1);
  const ending = leader.prompt('End');
  await until(() => member.session.team() === undefined);
  await member.session.close();
  await ending;
  expect(leader.session.approvals.waiting()).toEqual([]);
  expect(leader.results().at(-1)).toBe(
    'The team crew has ended. carol did not shut down in time and was stopped (it was working).',
  );
  await leader.session.close();
});

test('TM16 a session in a team hears of changes of members in other processes', async () => {
  const at = place();
  const leader = await openStory({ lead: leadThat({ Go: [create] }), agents: {} }, {}, at);
  await leader.prompt('Go');
  const carol = await openStory({ lead: [], agents: {} }, { teamMember: 'carol@crew' }, at);
  await until(() => states(leader).carol === 'idle');
  const dan = await openStory({ lead: [], agents: {} }, { teamMember: 'dan@crew' }, at);
  await until(() => toldStates(carol).dan === 'idle');
  await dan.session.close();
  await until(() => toldStates(carol).dan === 'ended');
  await carol.session.close();
  await leader.session.close();
});

test('TM15 a session in a team that has asked another member is waiting, and is in the graph of waits', async () => {
  const at = place();
  const leader = await openStory(
    { lead: leadThat({ Go: [create], Write: [write('carol', 'Ask dan.')] }), agents: {} },
    {},
    at,
  );
  await leader.prompt('Go');
  const dan = await openStory({ lead: [say('Hm.')], agents: {} }, { teamMember: 'dan@crew' }, at);
  const carol = await openStory(
    { lead: [write('dan', 'Which file', { awaits_answer: true }), say('I asked.')], agents: {} },
    { teamMember: 'carol@crew' },
    at,
  );
  await until(() => states(leader).carol === 'idle' && states(leader).dan === 'idle');
  await leader.prompt('Write');
  await until(() => states(leader).carol === 'waiting');
  const edges = leader.session.team()?.waits ?? [];
  expect(edges.map(({ from, to, kind }) => [from, to, kind])).toContainEqual(['carol', 'dan', 'mail']);
  await until(() => kinds(carol).includes('carol idle team-lead'));
  expect(mailOf(carol).findLast(({ kind }) => kind === 'idle')?.text).toContain('waits for an answer of dan');
  for (const one of [carol, dan, leader]) await one.session.close();
});

/** The members' states, as its last event told them. */
function toldStates({ events }: Pick<Story, 'events'>): Record<string, string> {
  const told = events.findLast((event) => event.type === 'team_changed');
  const members = told?.type === 'team_changed' ? (told.team?.members ?? []) : [];
  return Object.fromEntries(members.map(({ name, state }) => [name, state]));
}
