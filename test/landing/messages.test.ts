import { expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addTrailers } from '../../src/landing/work-message.ts';
import { createLayout } from '../../src/store/layout.ts';
import { type Field, field, landAll } from './support.ts';

const session = '3f2a9c1e-0000-4000-8000-000000000001';
const bodyOf = (at: Field, commit = 'HEAD') =>
  at.repository.git('show', '-s', '--format=%B', commit).then((text) => text.trimEnd());

/** A session in which the agent a1 ended with a report. */
function writeReport(at: Field, text: string): void {
  const path = createLayout(at.home).transcript(at.repository.path, session);
  mkdirSync(join(path, '..'), { recursive: true });
  const task = {
    ...{ id: 'a1', runId: 'r', kind: 'local_agent', status: 'completed', description: 'Mend it' },
    ...{ owner: null, toolUseId: 't', startedAt: '2026-01-01T00:00:00.000Z', isBackgrounded: true },
    ...{ isNotified: true, outputFile: '/dev/null' },
  };
  const record = {
    ...{ type: 'task-state', timestamp: '2026-01-01T00:00:00.000Z', sessionId: session },
    ...{ task, end: { status: 'completed', text } },
  };
  writeFileSync(path, `${JSON.stringify(record)}\n`);
}

test('WT9 what an agent had not committed lands with its report as the body, and says whose it is', async () => {
  const at = await field();
  writeReport(at, 'Greets politely now.\n\nSigned-off-by: somebody');
  await at.work(
    'one',
    { 'new.txt': 'x\n' },
    { agentId: 'a1', agentName: 'polite', session, title: 'Mend it' },
  );
  await landAll(at);
  expect(await bodyOf(at)).toBe(
    [
      ...['Mend it', '', 'Greets politely now.', '', 'Signed-off-by: somebody', ''],
      ...['Cadre-Agent: polite (a1)', 'Cadre-Task: Mend it', `Cadre-Session: ${session}`],
    ].join('\n'),
  );
});

test("WT9 an agent's own commits keep their messages and say whose they are", async () => {
  const at = await field();
  const commit = 'fix: mend\n\nBecause.\n\nCo-authored-by: A <a@example.invalid>';
  await at.work('one', { 'new.txt': 'x\n' }, { commit, agentId: 'a1', session });
  await landAll(at);
  expect(await bodyOf(at)).toBe(`${commit}\nCadre-Agent: a1\nCadre-Session: ${session}`);
  await landAll(at);
});

test("WT9 an agent's commit without a message is named after its task", async () => {
  const at = await field();
  const one = await at.work('one', { 'new.txt': 'x\n' }, { agentId: 'a1', session, title: 'Mend it' });
  await at.repository.git('-C', one.path, 'add', '--all');
  await at.repository.git('-C', one.path, 'commit', '--quiet', '--allow-empty-message', '--message=');
  await landAll(at);
  expect(await bodyOf(at)).toStartWith('Mend it\n\nCadre-Agent: a1\n');
});

test('WT9 work of the session itself names no agent, and nobody is asked for a report', async () => {
  const at = await field();
  await at.work('one', { 'new.txt': 'x\n' });
  await landAll(at);
  expect(await bodyOf(at)).toBe('Work in one\n\nCadre-Session: s');
});

test.each([
  ['a subject that looks like a trailer', 'fix: this', 'fix: this\n\nA: b'],
  ['a body', 'One\n\ntwo: words\nand more', 'One\n\ntwo: words\nand more\n\nA: b'],
  ['other trailers', 'One\n\nB: c', 'One\n\nB: c\nA: b'],
  ['the same trailer', 'One\n\nA: b\nB: c', 'One\n\nA: b\nB: c'],
  ['nothing', '', 'A: b'],
])('trailers are put after %s', (_, message, whole) => {
  expect(addTrailers(message, ['A: b'])).toBe(whole);
});
