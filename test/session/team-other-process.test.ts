import { expect, test } from 'bun:test';
import { systemClock } from '../../src/lib/clock.ts';
import { systemMachine } from '../../src/lib/machine.ts';
import { openBoard } from '../../src/team/board/board.ts';
import { locateTeam } from '../../src/team/team-place.ts';
import { call, say, type Turn } from '../../src/testing/index.ts';
import { gate, openStory, quiet, type Story } from '../agents/support.ts';
import { until } from '../support/index.ts';
import { need } from '../team/board-support.ts';
import { place } from './support.ts';
import { create, heard, leadThat, mailOf, start, states, write } from './team-support.ts';

/** What a member whose session another process runs has in common with one of the leader's process. */
async function withCarol(
  lead: Parameters<typeof leadThat>[0],
  turns: Turn[],
  work: (team: { leader: Story; carol: Story; ends: string[] }) => Promise<void>,
  agents: Record<string, Turn[]> = {},
): Promise<void> {
  const at = place();
  const leader = await openStory({ lead: leadThat({ Go: [create], ...lead }), agents }, {}, at);
  await leader.prompt('Go');
  const ends: string[] = [];
  const carol = await openStory(
    { lead: turns, agents: {} },
    { teamMember: 'carol@crew', onTeamEnd: (reason) => void ends.push(reason) },
    at,
  );
  await until(() => states(leader).carol === 'idle');
  await work({ leader, carol, ends });
  await carol.session.close();
  await leader.session.close();
}

const user = { name: 'user', leads: true };

/** An item that another one blocks, as another process adds them. Resolves when these have seen it. */
async function addBlocked(seers: readonly Story[], owner?: string) {
  const [{ at }] = seers as [Story];
  const { board: directory } = locateTeam(at.home, 'crew');
  const board = openBoard({ directory, machine: systemMachine, clock: systemClock, isShared: false });
  const first = need(board.create({ subject: 'Parse' }, user)).id;
  const second = need(board.create({ subject: 'Print', owner }, user)).id;
  need(board.change(first, { addBlocks: [second] }, user));
  const hasSeen = ({ events }: Story) =>
    events.some((event) => event.type === 'board_changed' && event.item.links.length > 0);
  await until(() => seers.every(hasSeen));
  return { first, second, finish: () => void need(board.complete(first, user)) };
}

test('TM13 a member in another process is woken by an item of its own that becomes unblocked', () =>
  withCarol({}, [say('I begin to print.')], async ({ leader, carol }) => {
    const { finish, second } = await addBlocked([leader, carol], 'carol');
    finish();
    await until(() => heard(leader.leadRequests()).includes('I begin to print.'));
    expect(heard(carol.leadRequests())).toContain(
      `Board item ${second} is no longer blocked: "Print". It is yours.`,
    );
  }));

test('TM13 an item without an owner that becomes unblocked wakes a member in another process that is idle', () =>
  withCarol({}, [say('I could take it.')], async ({ leader, carol }) => {
    (await addBlocked([leader, carol])).finish();
    await until(() => heard(leader.leadRequests()).includes('I could take it.'));
    expect(heard(carol.leadRequests())).toContain('It has no owner.');
  }));

test('TM13 a leader is woken by an item of its own that becomes unblocked', () =>
  withCarol({}, [], async ({ leader }) => {
    (await addBlocked([leader], 'team-lead')).finish();
    await until(() => heard(leader.leadRequests()).includes('"Print". It is yours.'));
  }));

test('TM15 a member in another process that rests waits for its blocked item', () =>
  withCarol({}, [], async ({ leader }) => {
    const { first, second } = await addBlocked([leader], 'carol');
    const waits = () => (leader.session.team()?.waits ?? []).map(({ from, to }) => `${from} ${to}`);
    await until(() => waits().includes(`carol item:${second}`));
    expect(waits()).toContain(`item:${second} item:${first}`);
  }));

const stop = { Stop: [write('carol', { type: 'shutdown_request', reason: 'done' })] };

function answerShutdown(approve: boolean) {
  return ({ messages }: { messages: readonly unknown[] }) => {
    const [, id] = /request_id\W+([\w-]{36})/.exec(JSON.stringify(messages.at(-1))) ?? [];
    const answer = { type: 'shutdown_response', request_id: id, approve, reason: 'not yet' };
    return write('team-lead', answer);
  };
}

test('TM8 a member in another process that has an open item hears of the shutdown and may object', () =>
  withCarol(
    { Work: [write('carol', 'Take it.')], ...stop },
    [
      call('TaskCreate', { subject: 'Parse', description: '' }),
      ({ messages }) => {
        const [, taskId] = /Added (\w+) /.exec(JSON.stringify(messages)) ?? [];
        return call('TaskUpdate', { taskId, status: 'in_progress' });
      },
      say('I have it.'),
      answerShutdown(false),
      say('I continue.'),
    ],
    async ({ leader, ends }) => {
      await leader.prompt('Work');
      await until(() => heard(leader.leadRequests()).includes('I have it.'));
      await until(() => states(leader).carol === 'idle');
      await leader.prompt('Stop');
      await until(() => heard(leader.leadRequests()).includes('not yet'));
      await until(() => heard(leader.leadRequests()).includes('I continue.'));
      expect(ends).toEqual([]);
    },
  ));

test('TM8 a member in another process with background work hears of the shutdown, and ends when it has answered', () =>
  withCarol(
    { Work: [write('carol', 'Start it.')], ...stop },
    [call('Bash', { command: 'sleep 1000', run_in_background: true }), say('It runs.'), say('I stop it.')],
    async ({ leader, carol, ends }) => {
      await leader.prompt('Work');
      await until(() => heard(leader.leadRequests()).includes('It runs.'));
      await until(() => states(leader).carol === 'idle');
      await leader.prompt('Stop');
      await until(() => ends.length > 0);
      expect(heard(carol.leadRequests())).toContain('Your leader asks you to shut down.');
    },
  ));

test('TM17 a member of another process that was asked to say when it is idle does so, and wakes who asked', () => {
  const step = gate();
  return withCarol(
    { More: [start('alice', 'Ask carol'), write('carol', 'Work.')] },
    [() => step.opened.then(() => say('Done.')), say('Nothing new.')],
    async ({ leader, carol }) => {
      await leader.prompt('More');
      await until(() => carol.leadRequests().length > 0);
      await until(() => states(leader).alice === 'idle');
      step.open();
      await until(() => heard(leader.requestsOf('Ask carol')).includes('carol is idle'));
      await quiet(leader);
    },
    {
      'Ask carol': [
        write('carol', 'Tell me when you are done.', { notify_when_idle: true }),
        say('I wait.'),
        say('Now I know.'),
      ],
    },
  );
});

test('TM12 the report of a member in another process has each of its answers once, also those before mail that made it continue', () => {
  const step = gate();
  return withCarol(
    { Work: [write('carol', 'Work.')], More: [write('carol', 'Use tabs.')] },
    [() => step.opened.then(() => say('The first half.')), say('The second half.')],
    async ({ leader, carol }) => {
      await leader.prompt('Work');
      await until(() => carol.leadRequests().length > 0);
      await leader.prompt('More');
      const members = () => carol.session.team()?.members ?? [];
      await until(() => members().some(({ name, unread }) => name === 'carol' && unread === 2));
      step.open();
      const reports = () => mailOf(leader, 'read').filter(({ kind }) => kind === 'report');
      await until(() => reports().length > 0);
      expect(reports().map(({ text }) => text)).toEqual(['The first half.\n\nThe second half.']);
    },
  );
});
