import { expect, test } from 'bun:test';
import type { AgentEvent, BoardItem, MailMessage, MemberView, WaitEdge } from '../../src/protocol/index.ts';
import { emptyView, listTeammates, reduceAll, type View, type ViewEvent } from '../../src/view/index.ts';

const lead = { agentId: null, parentToolUseId: null };
const time = (second: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, second)).toISOString();

function member(name: string, more: Partial<MemberView> = {}): MemberView {
  return {
    ...{ name, kind: name === 'team-lead' ? 'lead' : 'in-process', agentId: null, colour: 'green' },
    ...{ state: 'working', stateSince: time(0), unread: 0, items: [], ...more },
  };
}

function changed(members: MemberView[], waits: WaitEdge[] = [], name = 'crew'): AgentEvent {
  return { ...lead, type: 'team_changed', team: { name, members, waits } };
}

function mail(id: string, more: Partial<MailMessage> = {}): MailMessage {
  return {
    ...{ format: 1, id, team: 'crew', from: 'alice', to: 'bob', kind: 'text', sentAt: time(1), order: 1 },
    ...{ text: `text of ${id}`, ...more },
  };
}

function moved(message: MailMessage, state: 'written' | 'delivered' | 'read' = 'written'): AgentEvent {
  return { ...lead, type: 'mail_moved', mail: message, state };
}

function item(id: string, more: Partial<BoardItem> = {}): BoardItem {
  return {
    ...{ format: 1, id, revision: 1, subject: `Do ${id}`, description: '', status: 'pending', owner: null },
    ...{ links: [], metadata: {}, createdBy: 'team-lead', createdAt: time(0), changedBy: 'team-lead' },
    ...{ changedAt: time(0), ...more },
  };
}

function board(one: BoardItem, name = 'crew'): AgentEvent {
  return { ...lead, type: 'board_changed', board: name, item: one };
}

const see = (events: ViewEvent[], from: View = emptyView()) => reduceAll(from, events, 1_000).team;

test('members are shown with the leader first, with state, reason, unread mail and items', () => {
  const alice = member('alice', { state: 'waiting', reason: 'an approval', unread: 2, items: ['k7f2'] });
  const { members, name, isOpen } = see([changed([alice, member('team-lead')])]);
  expect([name, isOpen]).toEqual(['crew', true]);
  expect(members.map((one) => one.name)).toEqual(['team-lead', 'alice']);
  expect(members[1]).toMatchObject({
    ...{ state: 'waiting', reason: 'an approval', unread: 2, items: ['k7f2'], since: Date.parse(time(0)) },
  });
});

test('a team that has ended stays to be read, with nobody in it', () => {
  const view = reduceAll(
    emptyView(),
    [
      changed([member('team-lead'), member('alice')]),
      moved(mail('a')),
      { ...lead, type: 'team_changed', team: undefined },
    ],
    1_000,
  );
  expect(view.team).toMatchObject({ name: 'crew', isOpen: false });
  expect(view.team.mail).toHaveLength(1);
  expect(listTeammates(view)).toEqual([]);
});

test('another team begins with no mail of the one before', () => {
  const team = see([changed([member('alice')]), moved(mail('a')), changed([member('carol')], [], 'next')]);
  expect([team.name, team.mail.length]).toEqual(['next', 0]);
});

test('mail keeps the order in which it was sent, each message once, with its newest state', () => {
  const team = see([
    moved(mail('a')),
    moved(mail('b', { from: 'bob', to: 'alice' })),
    moved(mail('a'), 'delivered'),
    moved(mail('a'), 'read'),
    moved(mail('a')),
  ]);
  expect(team.mail.map(({ id, to }) => [id, to[0]?.state])).toEqual([
    ['a', 'read'],
    ['b', 'written'],
  ]);
});

test('a broadcast is one message with all its receivers; the same words later are another', () => {
  const all = { from: 'team-lead', kind: 'broadcast' as const, text: 'Use port 80.' };
  const team = see([
    moved(mail('a', { ...all, to: 'alice' })),
    moved(mail('b', { ...all, to: 'bob' })),
    moved(mail('b', { ...all, to: 'bob' }), 'read'),
    moved(mail('c', { ...all, to: 'alice', sentAt: time(30) })),
  ]);
  expect(team.mail.map(({ to }) => to.map(({ name, state }) => `${name} ${state}`))).toEqual([
    ['alice written', 'bob read'],
    ['alice written'],
  ]);
});

test('a circle is shown until one of its waits is over', () => {
  const edges: WaitEdge[] = [
    { from: 'alice', to: 'bob', kind: 'mail', what: 'an answer', since: time(0) },
    { from: 'bob', to: 'alice', kind: 'mail', what: 'an answer', since: time(0) },
  ];
  const members = [member('alice'), member('bob')];
  const found: AgentEvent[] = [changed(members, edges), { ...lead, type: 'circle_found', edges }];
  expect(see(found).circle).toHaveLength(2);
  expect(see([...found, changed(members, edges)]).circle).toHaveLength(2);
  expect(see([...found, changed(members, edges.slice(1))]).circle).toEqual([]);
});

test('the board has the newest revision of each item, and none that was deleted', () => {
  const { items } = see([
    board(item('a')),
    board(item('b', { createdAt: time(1) })),
    board(item('a', { revision: 3, status: 'completed', owner: 'alice' })),
    board(item('a', { revision: 2, status: 'in_progress' })),
    board(item('b', { revision: 2, status: 'deleted' })),
  ]).board;
  expect(items.map(({ id, status, owner }) => [id, status, owner])).toEqual([['a', 'completed', 'alice']]);
});

test('items of another board replace those before', () => {
  const { items, name } = see([board(item('a'), 'session'), board(item('b'))]).board;
  expect([name, items.map(({ id }) => id)]).toEqual(['crew', ['b']]);
});

test('what was read from files comes before what was heard, and changes nothing that is newer', () => {
  const heard = [
    changed([member('alice')]),
    moved(mail('b', { sentAt: time(5) }), 'read'),
    board(item('x', { revision: 2 })),
  ];
  const loaded: ViewEvent = {
    type: 'team_loaded',
    mail: [
      { message: mail('a', { sentAt: time(2) }), state: 'read' },
      { message: mail('b', { sentAt: time(5) }), state: 'written' },
    ],
    board: { name: 'crew', items: [item('x', { subject: 'old' }), item('y')] },
  };
  const team = see([...heard, loaded]);
  expect(team.mail.map(({ id, to }) => [id, to[0]?.state])).toEqual([
    ['a', 'read'],
    ['b', 'read'],
  ]);
  expect(team.board.items.map(({ id, subject }) => [id, subject])).toEqual([
    ['x', 'Do x'],
    ['y', 'Do y'],
  ]);
});

test('mail that another process has read meanwhile is shown as read when the files are looked at', () => {
  const loaded: ViewEvent = { type: 'team_loaded', mail: [{ message: mail('a'), state: 'read' }] };
  const team = see([changed([member('alice')]), moved(mail('a'), 'written'), loaded]);
  expect(team.mail.map(({ id, to }) => [id, to[0]?.state])).toEqual([['a', 'read']]);
});

test('a view holds so much of a team and no more', () => {
  const many = Array.from({ length: 2_000 }, (_, index) => index);
  const long = 'x'.repeat(100_000);
  const team = see([
    changed(many.map((index) => member(`m${index}`, { reason: long }))),
    ...many.map((index) => moved(mail(`a${index}`, { text: long, summary: long }))),
    ...many.map((index) =>
      board(
        item(`i${index}`, {
          subject: long,
          description: long,
          status: index < 1_500 ? 'completed' : 'pending',
        }),
      ),
    ),
  ]);
  expect([team.members.length, team.mail.length, team.mailLeft]).toEqual([500, 500, 1_500]);
  expect(team.board.items).toHaveLength(1_000);
  expect(team.board.items.filter(({ status }) => status === 'pending')).toHaveLength(500);
  expect(JSON.stringify(team).length).toBeLessThan(6_000_000);
});
