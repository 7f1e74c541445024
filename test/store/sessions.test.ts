import { expect, test } from 'bun:test';
import { appendFileSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLayout, isSessionId } from '../../src/store/layout.ts';
import { findSession, latestSession, listSessions } from '../../src/store/sessions.ts';
import { temporaryDirectory } from '../support/index.ts';
import { assistant, conversation, headerFor, save, user } from './build.ts';

const idOf = (index: number) => `${String(index).repeat(8)}-0000-4000-8000-000000000000`;

function home() {
  const layout = createLayout(temporaryDirectory().path);
  const add = (index: number, cwd: string, records = conversation, day = index) => {
    const path = layout.transcript(cwd, idOf(index));
    save(path, records, headerFor(cwd, idOf(index)));
    utimesSync(path, day * 86_400, day * 86_400);
    return path;
  };
  return { layout, add };
}

test('a project directory is named after the working directory', () => {
  const layout = createLayout('/home/me/.cadre');
  expect(layout.session('/repo/my.app', idOf(1)).agentTranscript('a1b2')).toBe(
    `/home/me/.cadre/projects/-repo-my-app/${idOf(1)}/subagents/agent-a1b2.jsonl`,
  );
});

test('long working directories get names that fit and differ', () => {
  const layout = createLayout('/home');
  const names = ['a', 'b'].map(
    (end) =>
      layout
        .projectDirectory(`/${'x'.repeat(300)}${end}`)
        .split('/')
        .at(-1) ?? '',
  );
  expect(names[0]?.length).toBe(209);
  expect(names[0]).not.toBe(names[1]);
});

test('an id that could leave the directory is no session id', () => {
  expect(isSessionId('../../../etc/passwd')).toBe(false);
  expect(() => createLayout('/home').transcript('/a', '../x')).toThrow();
  expect(() => createLayout('/home').session('/a', idOf(1)).agentTranscript('../x')).toThrow();
});

test('sessions are listed newest first with what they are about', async () => {
  const { layout, add } = home();
  add(1, '/a');
  const path = add(2, '/a');
  add(3, '/b');
  appendFileSync(
    path,
    `${JSON.stringify({ type: 'custom-title', customTitle: 'Big\n\x1b[2Jplan', sessionId: idOf(2) })}\n`,
  );
  utimesSync(path, 9 * 86_400, 9 * 86_400);
  const listed = await listSessions(layout, '/a');
  expect(listed.map(({ id, title, messageCount }) => ({ id, title, messageCount }))).toEqual([
    { id: idOf(2), title: 'Big \\x1b[2Jplan', messageCount: 5 },
    { id: idOf(1), title: 'mend the tests ü😀', messageCount: 5 },
  ]);
  expect(listed[0]?.modifiedAt).toBe(9 * 86_400_000);
  expect((await listSessions(layout)).map(({ id }) => id)).toEqual([idOf(2), idOf(3), idOf(1)]);
});

test('directories that share a project name do not share sessions', async () => {
  const { layout, add } = home();
  add(1, '/a/b');
  add(2, '/a-b');
  expect((await listSessions(layout, '/a/b')).map(({ id }) => id)).toEqual([idOf(1)]);
  expect((await latestSession(layout, '/a-b'))?.id).toBe(idOf(2));
  expect(await latestSession(layout, '/a_b')).toBeUndefined();
});

test('a session without a message is not the latest, nor listed', async () => {
  const { layout, add } = home();
  add(1, '/a');
  add(2, '/a', []);
  expect((await latestSession(layout, '/a'))?.id).toBe(idOf(1));
  expect(await findSession(layout, idOf(2))).toMatchObject({ ok: true, value: { title: '(no prompt)' } });
});

test('strangers, links and damaged transcripts do no harm to the list', async () => {
  const { layout, add } = home();
  const path = add(1, '/a');
  const directory = layout.projectDirectory('/a');
  writeFileSync(join(directory, 'notes.jsonl'), '{}\n');
  symlinkSync(path, join(directory, `${idOf(2)}.jsonl`));
  mkdirSync(join(directory, `${idOf(3)}.jsonl`));
  writeFileSync(join(directory, `${idOf(4)}.jsonl`), '\0\0\0{"half');
  expect((await listSessions(layout, '/a')).map(({ id }) => id)).toEqual([idOf(1)]);
});

test('a long transcript is summed up from its ends', async () => {
  const { layout, add } = home();
  const records = [
    user('u0', null, 'begin'),
    ...Array.from({ length: 400 }, (_, i) => assistant(`a${i}`, 'u0', 'z'.repeat(1000))),
  ];
  add(1, '/a', records);
  const [summary] = await listSessions(layout, '/a');
  expect(summary?.title).toBe('begin');
  expect(summary?.messageCountIsExact).toBe(false);
  expect(summary?.messageCount).toBeWithin(380, 420);
});

test('no home yet is an empty list', async () => {
  expect(await listSessions(createLayout('/nowhere/at/all'))).toEqual([]);
});

test('a session is found by its id or an unambiguous beginning, in any directory', async () => {
  const { layout, add } = home();
  add(1, '/a');
  add(2, '/b');
  expect(await findSession(layout, idOf(2))).toMatchObject({ ok: true, value: { id: idOf(2), cwd: '/b' } });
  expect(await findSession(layout, '11')).toMatchObject({ ok: true, value: { id: idOf(1) } });
});

test('an unknown id names what there is', async () => {
  const { layout, add } = home();
  expect(await findSession(layout, 'abc')).toMatchObject({
    ok: false,
    problem: { kind: 'usage', hint: 'No session is stored there yet.' },
  });
  add(1, '/a');
  const result = await findSession(layout, 'abc\x1b');
  if (result.ok) throw new Error('found');
  expect(result.problem.message).toContain('"abc\\x1b"');
  expect(result.problem.hint).toContain(`${idOf(1)}  1970-01-02 00:00  mend the tests`);
  expect((await findSession(layout, ' ')).ok).toBe(false);
});

test('an ambiguous beginning lists the candidates', async () => {
  const { layout, add } = home();
  add(1, '/a');
  const other = '11111112-0000-4000-8000-000000000000';
  save(layout.transcript('/a', other), conversation, headerFor('/a', other));
  const result = await findSession(layout, '1111111');
  if (result.ok) throw new Error('found');
  expect(result.problem.hint).toContain(idOf(1));
  expect(result.problem.hint).toContain(other);
  expect(readdirSync(layout.projectDirectory('/a'))).toHaveLength(2);
});
