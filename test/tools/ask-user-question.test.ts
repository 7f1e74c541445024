import { expect, test } from 'bun:test';
import { textOf } from '../../src/protocol/message.ts';
import type { InputOf } from '../../src/protocol/tool.ts';
import { askUserQuestionTool as tool } from '../../src/tools/ask-user-question.ts';
import { toolContextForTests } from './support.ts';

const options = [{ label: 'SQLite', description: 'One file' }, { label: 'Postgres' }];
const questions = [
  { question: 'Which database?', header: 'Database', options },
  { question: 'Which parts?', header: 'Parts', options, multiSelect: true },
];

/** As the loop does with an input that the person changed. */
async function answer(input: unknown) {
  const parsed = (tool.answered ?? tool.schema).parse(input) as InputOf<typeof tool.schema>;
  const step = await tool.run(parsed, toolContextForTests()).next();
  if (!step.done) throw new Error('no result');
  return { ...step.value, text: textOf(step.value.content) };
}

test('the answers that come with the leave are told to the model', async () => {
  const answers = { 'Which database?': 'Something else: DuckDB', 'Which parts?': ['SQLite', 'Postgres'] };
  const { text, isError, data } = await answer({ questions, answers, annotations: { ours: true } });
  expect(isError).toBe(false);
  expect(text).toBe(
    'The user answered:\n\nWhich database?\n→ Something else: DuckDB\n\nWhich parts?\n→ SQLite, Postgres',
  );
  expect(data).toEqual({ questions, answers });
});

test('a question without an answer is named as one', async () => {
  const { text } = await answer({ questions, answers: { 'Which parts?': 'SQLite' } });
  expect(text).toContain('Which database?\n→ (not answered)');
});

test('leave without any answer is an error', async () => {
  for (const input of [{ questions }, { questions, answers: {} }]) {
    const { isError, text } = await answer(input);
    expect(isError).toBe(true);
    expect(text).toContain('no answer was given');
  }
});

test('the model cannot give answers itself, and is not told of them', () => {
  expect(tool.schema.safeParse({ questions, answers: { 'Which database?': 'SQLite' } }).success).toBe(false);
  expect(JSON.stringify(tool.schema.toJSONSchema())).not.toContain('answers');
});

test('it is a question, whatever is asked', () => {
  expect(tool.access({ questions }, '/')).toEqual([{ kind: 'question' }]);
  expect(tool.summary({ questions })).toBe('Which database? / Which parts?');
});

test('what could not be answered is refused', () => {
  const refused = [
    { questions: [] },
    { questions: [questions[0], questions[0]] },
    { questions: Array.from({ length: 5 }, (_, index) => ({ ...questions[0], question: `${index}?` })) },
    { questions: [{ ...questions[0], options: options.slice(1) }] },
  ];
  expect(refused.filter((input) => tool.schema.safeParse(input).success)).toEqual([]);
});
