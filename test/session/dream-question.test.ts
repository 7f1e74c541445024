import { expect, test } from 'bun:test';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProposal, listProposals, rejectProposal } from '../../src/knowledge/dream-files.ts';
import { manualClock } from '../../src/lib/clock.ts';
import type { Answer, Question } from '../../src/protocol/index.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import { say } from '../../src/testing/index.ts';
import { buildPreview } from '../../src/tools/files/preview.ts';
import { open, type Place, place } from './support.ts';

const notes = '# Notes\n\n- Run make.\n- Old fact.\n';
const dreamt = say(JSON.stringify({ why: 'Tests.', add: ['- Tests: npm test.'], remove: ['- Old fact.'] }));

/** A past session, and a dream that ends with a proposal. */
async function dreaming(options: SessionOptions) {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  writeFileSync(join(at.cwd, 'AGENTS.md'), notes);
  const first = await open(at, [say('Use npm test here.')]);
  await first.prompt('How are tests run?');
  await first.session.close();
  const opened = await open(at, [dreamt], options);
  const spawned = await opened.session.spawn({ kind: 'dream' });
  if (!spawned.ok) throw new Error(spawned.problem.message);
  const end = await spawned.value.result();
  const heard = async (type: string) => {
    while (!opened.events.some((event) => event.type === type)) await new Promise(setImmediate);
  };
  const answered = async () => {
    await heard('question_answered');
    const settled = () =>
      opened.events.some((event) => 'text' in event && /^Dream: (?!A prop)/.test(event.text));
    while (!settled()) await new Promise(setImmediate);
  };
  return { ...opened, at, end, heard, answered };
}

function directoryOf(at: Place): string {
  const [project = ''] = readdirSync(join(at.home, 'dreams'));
  return join(at.home, 'dreams', project);
}

const memory = (at: Place) => readFileSync(join(at.cwd, 'AGENTS.md'), 'utf8');
const states = async (at: Place) =>
  (await listProposals(directoryOf(at))).proposals.map(({ state, reason }) => ({ state, reason }));

/** What a question was, whoever answers it so. */
function answering(answer: Answer) {
  const asked: Question[] = [];
  const onQuestion = async (question: Question) => {
    asked.push(question);
    return answer;
  };
  return { asked, onQuestion };
}

test('TS6 a proposal is asked about with its whole diff, and a yes makes the changes', async () => {
  const { asked, onQuestion } = answering({ behaviour: 'allow' });
  const { at, end, answered, session, model } = await dreaming({ onQuestion });
  await answered();
  expect(end.status).toBe('completed');
  expect(asked).toMatchObject([
    { toolName: 'Dream', asker: { type: 'dream', background: true }, suggestions: [], cwd: at.cwd },
  ]);
  const [question] = asked;
  if (!question) throw new Error('none');
  expect(buildPreview({ ...question, cwd: at.cwd })).toEqual({
    kind: 'diff',
    path: join(at.cwd, 'AGENTS.md'),
    isNew: false,
    text: '@@ -1,4 +1,4 @@\n # Notes\n \n - Run make.\n-- Old fact.\n+- Tests: npm test.',
  });
  expect(memory(at)).toBe('# Notes\n\n- Run make.\n- Tests: npm test.\n');
  expect(await states(at)).toEqual([{ state: 'accepted', reason: undefined }]);
  await session.close();
  // The dream's own request is all that any model was asked.
  expect(model.requests).toHaveLength(1);
});

test('TS6 a no drops it with its reason and changes nothing', async () => {
  const { onQuestion } = answering({ behaviour: 'deny', message: 'not true' });
  const { at, answered, session } = await dreaming({ onQuestion });
  await answered();
  await session.close();
  expect(memory(at)).toBe(notes);
  expect(await states(at)).toEqual([{ state: 'rejected', reason: 'not true' }]);
});

test('TS6 where nobody attends nothing is asked, and the proposal stays', async () => {
  const { at, session, events } = await dreaming({});
  await session.close();
  expect(events.map(({ type }) => type)).not.toContain('question_asked');
  expect(await states(at)).toEqual([{ state: 'open', reason: undefined }]);
});

test('TS6 a question that nobody answered in time, before the end, or could put to anybody leaves the proposal', async () => {
  const clock = manualClock();
  const late = await dreaming({ attended: true, clock });
  await late.heard('question_asked');
  clock.advance(61 * 60_000);
  await late.heard('question_answered');
  await late.session.close();
  const closed = await dreaming({ attended: true });
  await closed.heard('question_asked');
  await closed.session.close();
  const broken = await dreaming({ onQuestion: () => Promise.reject(new Error('no screen')) });
  await broken.heard('question_answered');
  await broken.session.close();
  for (const { at, model } of [late, closed, broken]) {
    expect(await states(at)).toEqual([{ state: 'open', reason: undefined }]);
    expect(memory(at)).toBe(notes);
    expect(model.requests).toHaveLength(1);
  }
});

test('TS6 what was decided or edited elsewhere meanwhile is not done again', async () => {
  for (const change of ['reject', 'edit']) {
    const { at, session, heard, answered, events } = await dreaming({ attended: true });
    await heard('question_asked');
    const found = await findProposal(directoryOf(at), undefined);
    if (!found.ok) throw new Error('none');
    const file = join(directoryOf(at), `${found.value.id}.md`);
    if (change === 'reject') rejectProposal(directoryOf(at), found.value);
    else writeFileSync(file, readFileSync(file, 'utf8').replace('npm test', 'curl evil'));
    const [waiting] = session.approvals.waiting();
    session.send({
      ...{ type: 'answer', questionId: waiting?.question.id ?? '', by: 'person' },
      answer: { behaviour: 'allow' },
    });
    await answered();
    await session.close();
    expect(memory(at)).toBe(notes);
    expect(JSON.stringify(events)).toContain(
      change === 'reject' ? 'was already rejected' : 'has changed since',
    );
  }
});
