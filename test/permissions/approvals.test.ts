import { expect, test } from 'bun:test';
import { manualClock } from '../../src/lib/clock.ts';
import { ApprovalHub } from '../../src/permissions/approval-hub.ts';
import { Approvals } from '../../src/permissions/approvals.ts';
import { Grants } from '../../src/permissions/grants.ts';
import type { Question, Rule } from '../../src/protocol/index.ts';

let made = 0;

function question(more: Partial<Question> = {}): Question {
  return {
    id: `q${++made}`,
    sessionId: 's1',
    agentId: null,
    asker: { type: 'lead' },
    toolUseId: `t${made}`,
    toolName: 'Bash',
    input: { command: 'make' },
    cwd: '/w',
    decision: { behaviour: 'ask', by: 'default', reason: 'no rule allows this command' },
    risk: { level: 'low', reasons: [] },
    suggestions: [],
    summary: 'make',
    askedAt: 0,
    expiresAt: null,
    ...more,
  };
}

const never = () => new AbortController().signal;
const allow = { behaviour: 'allow' } as const;

function attended(hub = new ApprovalHub(), clock = manualClock()) {
  return { hub, clock, approvals: new Approvals(hub, clock, true) };
}

test('PE3 several questions wait in order, and each answer reaches its asker', async () => {
  const { hub, approvals } = attended();
  const [a, b] = [question({ input: { command: 'a' } }), question({ input: { command: 'b' } })];
  const answers = [approvals.ask(a, never()), approvals.ask(b, never())];
  expect(hub.waiting().map((entry) => entry.question.id)).toEqual([a.id, b.id]);
  hub.answer(b.id, { behaviour: 'deny', message: 'not b' }, 'person');
  hub.answer(a.id, allow, 'host');
  expect(await Promise.all(answers)).toEqual([
    { answer: allow, by: 'host' },
    { answer: { behaviour: 'deny', message: 'not b' }, by: 'person' },
  ]);
});

test('the same question of the same agent is one entry with its count, and one answer settles all', async () => {
  const { hub, approvals } = attended();
  const asked = [
    question({ input: { command: 'x', timeout: 1 } }),
    question({ input: { timeout: 1, command: 'x' } }),
    question({ input: { command: 'x', timeout: 1 } }),
  ];
  const answers = asked.map((one) => approvals.ask(one, never()));
  expect(hub.waiting()).toMatchObject([{ count: 3, repeats: [{ id: asked[1]?.id }, { id: asked[2]?.id }] }]);
  expect(hub.answer(asked[1]?.id ?? '', allow)).toBe(true);
  expect((await Promise.all(answers)).map(({ answer }) => answer)).toEqual([allow, allow, allow]);
  expect(hub.waiting()).toEqual([]);
});

test('the same call of another agent, session or directory is a question of its own', () => {
  const { hub, approvals } = attended();
  for (const more of [{}, { agentId: 'a1' }, { sessionId: 's2' }, { cwd: '/elsewhere' }])
    void approvals.ask(question(more), never());
  expect(hub.waiting().map((entry) => entry.count)).toEqual([1, 1, 1, 1]);
});

test('one of several askers going away leaves the others waiting', async () => {
  const { hub, approvals } = attended();
  const gone = new AbortController();
  const [first, second] = [question(), question()];
  const answers = [approvals.ask(first, gone.signal), approvals.ask(second, never())];
  gone.abort();
  expect(await answers[0]).toMatchObject({ by: 'interrupt', answer: { behaviour: 'deny' } });
  expect(hub.waiting()).toMatchObject([{ question: { id: second.id }, count: 1 }]);
});

test('an answer counts once; a second one is told that nobody waits', () => {
  const { hub, approvals } = attended();
  const one = question();
  void approvals.ask(one, never());
  expect([hub.answer(one.id, allow), hub.answer(one.id, allow), hub.answer('nobody', allow)]).toEqual([
    true,
    false,
    false,
  ]);
});

test('a question that nobody answers ends as a denial with a reason', async () => {
  const { clock, approvals, hub } = attended();
  const answer = approvals.ask(question({ expiresAt: 600_000 }), never());
  clock.advance(599_999);
  expect(hub.waiting()).toHaveLength(1);
  clock.advance(1);
  expect(await answer).toMatchObject({
    by: 'expiry',
    answer: { behaviour: 'deny', message: expect.stringContaining('No answer within 600 seconds') },
  });
});

test('an answered question leaves no timer behind', async () => {
  const { clock, approvals, hub } = attended();
  const one = question({ expiresAt: 1000 });
  const answer = approvals.ask(one, never());
  hub.answer(one.id, allow);
  await answer;
  expect(clock.untilNext()).toBeUndefined();
});

test('where nobody attends it is denied at once, and so is all that waits when they leave', async () => {
  const hub = new ApprovalHub();
  const alone = new Approvals(hub, manualClock(), false);
  expect(await alone.ask(question(), never())).toMatchObject({ by: 'unattended' });
  const { approvals } = attended(hub);
  const waiting = approvals.ask(question(), never());
  approvals.leave('The host closed its side.');
  expect(await waiting).toEqual({
    answer: { behaviour: 'deny', message: 'The host closed its side.' },
    by: 'unattended',
  });
});

test('leaving one session takes only its own questions out of a shared queue', () => {
  const hub = new ApprovalHub();
  const [one, two] = [attended(hub).approvals, attended(hub).approvals];
  void one.ask(question({ sessionId: 's1' }), never());
  void two.ask(question({ sessionId: 's2' }), never());
  one.leave('gone');
  expect(hub.waiting()).toMatchObject([{ question: { sessionId: 's2' } }]);
});

test('a session answers only its own questions', () => {
  const hub = new ApprovalHub();
  const [one, two] = [attended(hub).approvals, attended(hub).approvals];
  const asked = question({ sessionId: 's2' });
  void two.ask(asked, never());
  expect(one.answer(asked.id, allow, 'host')).toBe(false);
  expect(two.answer(asked.id, allow, 'host')).toBe(true);
});

test('subscribers see every change until they leave', () => {
  const { hub, approvals } = attended();
  const seen: number[] = [];
  const leave = hub.subscribe((waiting) => seen.push(waiting.length));
  const one = question();
  void approvals.ask(one, never());
  hub.answer(one.id, allow);
  leave();
  void approvals.ask(question(), never());
  expect(seen).toEqual([1, 0]);
});

const rule = (specifier: string, behaviour: Rule['behaviour'] = 'allow'): Rule => ({
  behaviour,
  tool: 'Bash',
  specifier,
  layer: 'session',
  source: 'a test',
  base: '/',
});

test('PE5 a grant to one agent is none to another; one for the session is everybody’s', () => {
  const grants = new Grants();
  grants.give('agent', 'a1', [rule('one')]);
  grants.give('session', 'a1', [rule('all')]);
  expect(grants.listRules('a1').map((one) => one.specifier)).toEqual(['all', 'one']);
  expect(grants.listRules('a2').map((one) => one.specifier)).toEqual(['all']);
  expect(grants.listRules(null).map((one) => one.specifier)).toEqual(['all']);
  grants.forget('a1');
  expect(grants.listRules('a1')).toHaveLength(1);
});

test('grants are replaced and taken back by what they say', () => {
  const grants = new Grants();
  const destination = 'session' as const;
  grants.give('session', null, [rule('a'), rule('b'), rule('c', 'deny')]);
  grants.give('session', null, [rule('a')]);
  expect(grants.listRules(null)).toHaveLength(3);
  grants.apply({ type: 'remove_rules', rules: [rule('a')], destination }, null);
  expect(grants.listRules(null).map((one) => one.specifier)).toEqual(['b', 'c']);
  grants.apply({ type: 'replace_rules', behaviour: 'allow', rules: [rule('d')], destination }, null);
  expect(grants.listRules(null).map((one) => one.specifier)).toEqual(['c', 'd']);
  grants.apply({ type: 'add_directories', directories: ['/x', '/y'], destination }, null);
  grants.apply({ type: 'remove_directories', directories: ['/x'], destination }, null);
  expect(grants.directories()).toEqual(['/y']);
});

test('whoever watches the queue may answer as soon as they see a question', async () => {
  const { hub, approvals } = attended();
  hub.subscribe(([entry]) => entry && approvals.answer(entry.question.id, allow, 'person'));
  expect(await approvals.ask(question(), never())).toEqual({ answer: allow, by: 'person' });
});
