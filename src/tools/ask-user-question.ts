import { form, type OutputOf } from '../lib/form/form.ts';
import { visibleLine } from '../lib/text/text.ts';
import { defineTool, errorResult, type ToolResult, textResult } from '../protocol/tool.ts';
import description from './ask-user-question.md' with { type: 'text' };
import { withoutProgress } from './without-progress.ts';

const option = form.strictObject({
  label: form.string().min(1).max(200),
  description: form.string().max(1000).optional(),
});

const question = form.strictObject({
  question: form.string().min(1).max(1000),
  header: form.string().max(60).describe('One or two words'),
  options: form.array(option).min(2).max(6),
  multiSelect: form.boolean().optional(),
});

const distinct = (questions: { question: string }[]) =>
  new Set(questions.map((one) => one.question)).size === questions.length;

const questions = form
  .array(question)
  .min(1)
  .max(4)
  .refine(distinct, 'Two questions are the same. Word each question differently.');

const schema = form.strictObject({ questions });

/** The user's approval. Hosts add fields of their own; only the answers are used. */
const answered = form.object({
  questions,
  answers: form.record(form.union([form.string(), form.array(form.string())])).optional(),
});

/**
 * The answers are the user's: they come as a change to the input along with the approval, never from the model, whose
 * schema does not have them.
 */
export const askUserQuestionTool = defineTool({
  name: 'AskUserQuestion',
  description: description.trim(),
  schema,
  answered,
  access: () => [{ kind: 'question' }],
  concurrent: () => false,
  summary: (input) => visibleLine(input.questions.map((one) => one.question).join(' / '), 300),
  run: (input) => withoutProgress(async () => report(answered.parse(input))),
});

const maxAnswer = 10_000;

function report(input: OutputOf<typeof answered>): ToolResult {
  const { answers } = input;
  if (!answers || Object.keys(answers).length === 0)
    return errorResult(
      'The call was allowed, but no answer was given. Use your own judgement, and say that you did.',
    );
  const lines = input.questions.map(({ question }) => {
    const given = Object.hasOwn(answers, question) ? answers[question] : undefined;
    const text = [given ?? []].flat().join(', ').slice(0, maxAnswer).toWellFormed();
    return `${question}\n→ ${text || '(not answered)'}`;
  });
  return textResult(`The user answered:\n\n${lines.join('\n\n')}`, { questions: input.questions, answers });
}
