import { expect, test } from 'bun:test';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AnswerScope } from '../../src/protocol/index.ts';
import { call, calls, say, type Turn } from '../../src/testing/index.ts';
import { type Opened, open, type Place, place } from './support.ts';

const read = (path: string) => call('Read', { file_path: path });
const hire = call('Agent', { description: 'Look', prompt: 'Look', run_in_background: false });

function work(): Place {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  return at;
}

/** Two questions wait; the first is answered as it was suggested, for so many. */
async function answerFirst(
  at: Place,
  turns: Turn[],
  scope: AnswerScope,
): Promise<Opened & { done: unknown }> {
  const opened = await open(at, turns, { attended: true });
  const { session } = opened;
  const done = opened.prompt('Go');
  while (session.approvals.waiting().length < 2) await Bun.sleep(1);
  const questionId = session.approvals.waiting()[0]?.question.id ?? '';
  session.send({
    type: 'answer',
    questionId,
    answer: { behaviour: 'allow', scope },
    by: 'person',
  });
  return { ...opened, done };
}

const answers = ({ home }: Place) =>
  readdirSync(join(home, 'audit'))
    .flatMap((name) =>
      readFileSync(join(home, 'audit', name), 'utf8')
        .trim()
        .split('\n'),
    )
    .map((line) => JSON.parse(line))
    .filter(({ type }) => type === 'answer');

const bothAgents = [calls([hire, hire]), read('/etc/hostname'), read('/etc/hostname')];

for (const scope of ['session', 'saved'] as const)
  test(`PE3 a rule that is granted for every agent (${scope}) answers the same question of another that waits`, async () => {
    const at = work();
    const turns = [...bothAgents, say('One.'), say('Two.'), say('Done.')];
    const { done, session, events } = await answerFirst(at, turns, scope);
    expect(await done).toMatchObject({ kind: 'completed' });
    expect(answers(at)).toMatchObject([
      { behaviour: 'allow', by: 'person' },
      { behaviour: 'allow', by: 'rule', reason: 'Read(//etc/**)' },
    ]);
    expect(events.filter(({ type }) => type === 'question_answered')).toHaveLength(2);
    await session.close();
  });

test('what is granted to one agent answers what else that agent asks', async () => {
  const at = work();
  const turns = [calls([read('/etc/hostname'), read('/etc/passwd')]), say('Done.')];
  const { done, session } = await answerFirst(at, turns, 'agent');
  expect(await done).toMatchObject({ kind: 'completed' });
  expect(answers(at).map(({ by }) => by)).toEqual(['person', 'rule']);
  await session.close();
});

for (const [what, turns, scope] of [
  ['another agent', [...bothAgents, say('One.')], 'agent'],
  [
    'a call that the rule is not about',
    [calls([read('/etc/hostname'), read('/usr/include/none.h')])],
    'session',
  ],
  ['a yes for once', [calls([read('/etc/hostname'), read('/etc/passwd')])], 'once'],
] as const)
  test(`a question goes on waiting: ${what}`, async () => {
    const at = work();
    const end = [say('Two.'), say('Done.')];
    const { done, session, events } = await answerFirst(at, [...turns, ...end], scope);
    while (!events.some((event) => event.type === 'tool_ended' && event.toolName === 'Read'))
      await Bun.sleep(1);
    const waiting = session.approvals.waiting();
    expect(waiting).toHaveLength(1);
    const questionId = waiting[0]?.question.id ?? '';
    session.send({ type: 'answer', questionId, answer: { behaviour: 'deny', message: 'no' }, by: 'person' });
    expect(await done).toMatchObject({ kind: 'completed' });
    expect(answers(at).map(({ by }) => by)).toEqual(['person', 'person']);
    await session.close();
  });
