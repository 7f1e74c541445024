import { expect, test } from 'bun:test';
import type { MemberRecord } from '../../src/protocol/index.ts';
import { listSeatFacts } from '../../src/session/team/crew-seat.ts';

const record = { agentType: 'explore', model: 'a-model', description: 'look', cwd: '/a' } as MemberRecord;
const members = { read: () => record };

test('a member in a pane keeps the type, model and description that its leader wrote', () => {
  const facts = listSeatFacts({ name: 'bob', kind: 'pane' }, members);
  expect(facts).toEqual({ agentType: 'explore', model: 'a-model', description: 'look' });
});

test('a session that joins takes nothing over from an earlier holder of its name', () => {
  expect(listSeatFacts({ name: 'bob', kind: 'session' }, members)).toEqual({});
});
