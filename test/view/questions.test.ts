import { expect, test } from 'bun:test';
import type { Question } from '../../src/protocol/index.ts';
import { emptyView, reduceAll, type ViewEvent } from '../../src/view/index.ts';
import { lead } from './support.ts';

test('PE3 questions wait in their order, the same one of the same agent as one with its count', () => {
  const view = after(
    asked('1', 'a'),
    asked('2', 'b'),
    asked('3', 'a'),
    asked('4', 'a', { command: 'other' }),
  );
  expect(view.questions.map(({ question, count }) => [question.id, count])).toEqual([
    ['1', 2],
    ['2', 1],
    ['4', 1],
  ]);
  expect(view.agents.get('a')?.questions).toEqual(['1', '3', '4']);
});

test('PE3 of a question and its repeats the one that is settled goes, the others stay', () => {
  const view = after(asked('1', 'a'), asked('2', 'a'), answered('1', 'a'));
  expect(view.questions).toMatchObject([
    { count: 1, repeats: [], question: { id: '2', toolUseId: 'call-2' } },
  ]);
  expect(after(asked('1', 'a'), asked('2', 'a'), answered('2', 'a')).questions).toMatchObject([
    { count: 1, question: { id: '1' } },
  ]);
});

test('an answer that was sent takes the question and its repeats away at once', () => {
  const sent: ViewEvent = { type: 'answer_sent', questionId: '1' };
  const view = after(asked('1', 'a'), asked('2', 'a'), asked('3', 'b'), sent);
  expect(view.questions.map(({ question }) => question.id)).toEqual(['3']);
  expect(reduceAll(view, [answered('1', 'a'), answered('2', 'a')]).questions).toHaveLength(1);
});

test.each<[Partial<Question>, string]>([
  [{ toolName: 'Bash' }, 'permission'],
  [{ toolName: 'ExitPlanMode' }, 'plan'],
  [{ toolName: 'AskUserQuestion' }, 'choices'],
  [{ toolName: 'Agent' }, 'agents'],
  [{ toolName: 'x', elicitation: { server: 's', message: 'm', mode: 'form' } }, 'elicitation'],
])('what kind of question it is can be told: %j is %s', (fields, kind) => {
  const event = asked('1', null);
  const view = after({ ...event, question: { ...event.question, ...fields } });
  expect(view.questions[0]?.kind).toBe(kind as never);
});

test('a question of an agent that nobody waits for is marked', () => {
  const event = asked('1', 'a');
  const asker = { type: 'scout', background: true };
  expect(after({ ...event, question: { ...event.question, asker } }).questions[0]?.isBackground).toBe(true);
});

test('prompts wait until they are in the conversation, or were refused, or taken back', () => {
  const sent = (uuid: string): ViewEvent => ({ type: 'prompt_sent', uuid, text: uuid });
  const view = after(sent('a'), sent('b'), sent('c'));
  const refused = reduceAll(view, [lead({ type: 'prompt_refused', uuid: 'b', reason: 'no' })]);
  expect(refused.queued.map(({ uuid }) => uuid)).toEqual(['a', 'c']);
  expect(reduceAll(refused, [{ type: 'prompts_withdrawn' }]).queued).toEqual([]);
});

function after(...events: ViewEvent[]) {
  return reduceAll(emptyView(), events, 1);
}

function asked(id: string, agentId: string | null, input: Record<string, unknown> = { command: 'ls' }) {
  const question: Question = {
    ...{
      id,
      sessionId: 's',
      agentId,
      asker: { type: 'scout' },
      toolUseId: `call-${id}`,
      toolName: 'Bash',
      input,
    },
    ...{ cwd: '/', decision: { behaviour: 'ask', by: 'default', reason: 'x' } },
    ...{ risk: { level: 'low', reasons: [] }, suggestions: [], summary: 'ls', askedAt: 0, expiresAt: null },
  };
  return { ...lead({ type: 'question_asked' as const, question }), agentId };
}

function answered(questionId: string, agentId: string | null): ViewEvent {
  return {
    ...lead({ type: 'question_answered' as const, questionId, behaviour: 'allow' as const }),
    agentId,
  };
}
