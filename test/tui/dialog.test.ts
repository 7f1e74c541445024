import { expect, test } from 'bun:test';
import type { Answer, Question } from '../../src/protocol/index.ts';
import type { Key } from '../../src/tui/keys/key.ts';
import {
  type Dialog,
  type DialogStep,
  openDialog,
  pasteIntoDialog,
  pressDialog,
} from '../../src/tui/questions/dialog.ts';

const question: Question = {
  id: 'q',
  sessionId: 's',
  agentId: null,
  asker: { type: 'lead' },
  toolUseId: 't',
  toolName: 'Bash',
  input: { command: 'ls' },
  cwd: '/',
  decision: { behaviour: 'ask', by: 'default', reason: 'no rule' },
  risk: { level: 'low', reasons: [] },
  suggestions: [],
  summary: 'ls',
  askedAt: 0,
  expiresAt: null,
};

function key(name: string): Key {
  const plain = { ctrl: false, alt: false, shift: false };
  return name.length === 1 ? { ...plain, name: 'text', text: name } : { ...plain, name };
}

/** Presses one key after the other; the last one must bring the dialog to its end. */
function play(dialog: Dialog, names: readonly string[]): Exclude<DialogStep, { kind: 'stay' }> {
  let now = dialog;
  for (const name of names) {
    const step = pressDialog(now, key(name), 80);
    if (step.kind !== 'stay') return step;
    now = step.dialog;
  }
  throw new Error('the dialog is still open');
}

function answerTo(dialog: Dialog, ...names: string[]): Answer {
  const step = play(dialog, names);
  if (step.kind !== 'answer') throw new Error(`no answer: ${step.kind}`);
  return step.answer;
}

const asks = (more: Partial<Question>, kind: Parameters<typeof openDialog>[0]['kind'] = 'permission') =>
  openDialog({ kind, question: { ...question, ...more } });

test('without a rule that could grant it there is yes and no alone', () => {
  expect(asks({}).form.fields[0]?.options.map((option) => option.key)).toEqual(['y', 'n']);
});

test('a key that is no answer changes nothing', () => {
  const dialog = asks({});
  expect(pressDialog(dialog, key('x'), 80)).toEqual({ kind: 'stay', dialog });
  expect(pressDialog(dialog, { ...key('y'), ctrl: true }, 80)).toEqual({ kind: 'stay', dialog });
});

test('a denial goes without a reason too', () => {
  expect(answerTo(asks({}), 'n', 'return')).toEqual({ behaviour: 'deny', message: 'The user said no.' });
});

test.each([
  ['a call', asks({}), 'n'],
  ['a plan', asks({ toolName: 'ExitPlanMode', input: { plan: 'Rest.' } }, 'plan'), 'n'],
  ['a note', asks({ toolName: 'Dream', input: {} }), 'n'],
] as const)('a reason pasted for refusing %s is in the answer whole', (_, dialog, refuse) => {
  const step = pressDialog(dialog, key(refuse), 80);
  if (step.kind !== 'stay') throw new Error('a reason is expected');
  const reason = Array.from({ length: 12 }, (_unused, index) => `remark ${index}`).join('\n');
  const answer = answerTo(pasteIntoDialog(step.dialog, `${reason}\n`), 'return');
  expect(answer).toMatchObject({ behaviour: 'deny', message: expect.stringContaining(reason) });
});

test('escape leaves the reason, and then the question, unanswered', () => {
  expect(play(asks({}), ['n', 'escape', 'escape'])).toEqual({ kind: 'later' });
});

const schema = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', title: 'Your name' },
    size: { enum: ['small', 'large'] },
    urgent: { type: 'boolean' },
    count: { type: 'integer' },
  },
};
const form = asks(
  { elicitation: { server: 'files', message: 'Who are you?', mode: 'form', schema } },
  'elicitation',
);

test('a form of an MCP server is filled in value by value', () => {
  const filled = answerTo(form, 'y', 't', 'A', 'd', 'a', 'return', '2', 'y', 't', '4', '2', 'return');
  expect(filled).toEqual({
    behaviour: 'allow',
    input: { name: 'Ada', size: 'large', urgent: true, count: 42 },
  });
});

test('what a form does not require can be left out', () => {
  const filled = answerTo(form, 'y', 't', 'A', 'return', 'n', 'n', 'n');
  expect(filled).toEqual({ behaviour: 'allow', input: { name: 'A' } });
});

test('an MCP server is declined, or what it does cancelled, without any value', () => {
  expect(answerTo(form, 'n')).toEqual({ behaviour: 'deny', message: 'The user declined.' });
  expect(answerTo(form, 'c')).toMatchObject({ behaviour: 'deny', interrupt: true });
});

const choices = asks(
  {
    toolName: 'AskUserQuestion',
    input: { questions: [{ question: '__proto__', options: [{ label: 'a' }, { label: 'b' }] }] },
  },
  'choices',
);

test("words of one's own are an answer, and a question of any name keeps it", () => {
  const answer = answerTo(choices, 'o', 'h', 'i', 'return');
  const given = answer.behaviour === 'allow' ? (answer.input?.answers as object) : {};
  expect(Object.entries(given)).toEqual([['__proto__', 'hi']]);
});

test('no answer to all of them is a no', () => {
  expect(answerTo(choices, 'n').behaviour).toBe('deny');
});

test('in a question of high risk return is a no: the cursor starts there', () => {
  const risky = asks({ risk: { level: 'high', reasons: ['it gains privileges'] } });
  expect(answerTo(risky, 'return', 'return')).toMatchObject({ behaviour: 'deny' });
  expect(answerTo(risky, 'y')).toMatchObject({ behaviour: 'allow' });
  expect(answerTo(asks({}), 'return')).toMatchObject({ behaviour: 'allow' });
});

test('a rule for a command outside the sandbox says that it runs there from then on', () => {
  const rule = {
    behaviour: 'allow',
    tool: 'Bash',
    specifier: 'ls',
    layer: 'session',
    source: 'x',
    base: '/',
  } as const;
  const input = { command: 'ls', dangerouslyDisableSandbox: true };
  const { options = [] } = asks({ input, suggestions: [rule] }).form.fields[0] ?? {};
  const lasting = options.filter(({ isLasting }) => isLasting);
  expect(lasting).toHaveLength(4);
  for (const { label, grants = '' } of lasting) expect(label + grants).toContain('outside the sandbox');
});
