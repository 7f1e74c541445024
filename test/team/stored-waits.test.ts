import { expect, test } from 'bun:test';
import type { MailMessage, MemberRecord } from '../../src/protocol/team.ts';
import { collectStoredWaits } from '../../src/team/stored-waits.ts';

const since = '2026-11-19T04:00:00.000Z';
const question: MailMessage = {
  ...{ format: 1, id: 'q', team: 'web', from: 'bob', fromIncarnation: '2-b', to: 'alice', kind: 'text' },
  ...{ sentAt: since, order: 1, text: 'Which one?', awaitsAnswer: true },
};
const plan: MailMessage = {
  ...question,
  id: 'p',
  to: 'team-lead',
  kind: 'plan_approval_request',
  text: 'A plan.',
};
const member = (state: MemberRecord['state'], incarnation = '2-b'): MemberRecord => ({
  ...{ format: 1, name: 'bob', team: 'web', incarnation, kind: 'pane', agentId: null, sessionId: 's' },
  ...{ colour: 'red', wanted: 'running', state, stateSince: since, heartbeatAt: since, joinedAt: since },
});
const waits = (mail: MailMessage[], bob: MemberRecord) =>
  collectStoredWaits({ members: [bob], mail, items: [] }).map(({ from, to }) => `${from} → ${to}`);

test('TM15 a member that has ended or died waits for no answer', () => {
  expect(waits([question], member('idle'))).toEqual(['bob → alice']);
  expect(waits([question], member('suspended'))).toEqual(['bob → alice']);
  expect(waits([question], member('ended'))).toEqual([]);
  expect(waits([question], member('dead'))).toEqual([]);
});

test('TM11 TM15 a plan waits as long as the incarnation that asked, and until it is withdrawn', () => {
  expect(waits([plan], member('idle'))).toEqual(['bob → team-lead']);
  expect(waits([plan], member('idle', '3-c'))).toEqual([]);
  const withdrawal: MailMessage = {
    ...plan,
    id: 'w',
    kind: 'plan_approval_response',
    inReplyTo: 'p',
    awaitsAnswer: false,
  };
  expect(waits([plan, withdrawal], member('idle'))).toEqual([]);
});
