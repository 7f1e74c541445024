import { expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSession } from '../../src/session/open.ts';
import { call, expecting, say } from '../../src/testing/index.ts';
import { open, place } from './support.ts';

function work(files: Record<string, string> = {}) {
  const at = place();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(at.cwd, name, '..'), { recursive: true });
    writeFileSync(join(at.cwd, name), text);
  }
  mkdirSync(at.cwd, { recursive: true });
  return at;
}

const touch = call('Bash', { command: 'touch made' });

test('where nobody attends, what would be asked is denied with a reason the model can act on', async () => {
  const { session, prompt, events } = await open(work(), [
    touch,
    expecting({ toolResult: 'There is no user to approve' }, say('Well.')),
  ]);
  expect((await prompt('Go')).kind).toBe('completed');
  expect(events.map((event) => event.type)).toContain('permission_denied');
  await session.close();
});

test('PE3 several questions wait at once and each answer reaches its asker', async () => {
  const at = work({ 'a.txt': '', 'b.txt': '' });
  const outside = (name: string) => call('Read', { file_path: `/etc/${name}` });
  const { session, events, prompt } = await open(
    at,
    [
      { blocks: [...outside('hostname').blocks, ...outside('passwd').blocks] },
      expecting({ isError: true }, say('Done.')),
    ],
    { attended: true },
  );
  const done = prompt('Go');
  const questions = () =>
    events.flatMap((event) => (event.type === 'question_asked' ? [event.question] : []));
  while (questions().length < 2) await Bun.sleep(1);
  const [first, second] = questions();
  session.send({
    type: 'answer',
    questionId: second?.id ?? '',
    answer: { behaviour: 'deny', message: 'not that one' },
  });
  session.send({ type: 'answer', questionId: first?.id ?? '', answer: { behaviour: 'allow' } });
  expect((await done).kind).toBe('completed');
  expect(events.flatMap((event) => (event.type === 'permission_denied' ? [event.input] : []))).toEqual([
    second?.input,
  ]);
  await session.close();
});

test('a rule granted with an answer holds for the rest of the session', async () => {
  let asked = 0;
  const { session, prompt } = await open(work(), [touch, touch, say('Done.')], {
    onQuestion: async (question) => {
      asked++;
      return { behaviour: 'allow', rules: question.suggestions };
    },
  });
  await prompt('Go');
  expect(asked).toBe(1);
  await session.close();
});

test('bypass needs leave at the start, and settings can forbid it', async () => {
  const at = work();
  const { session } = await open(at, []);
  expect(session.send({ type: 'set_permission_mode', mode: 'bypassPermissions' })).toMatchObject({
    ok: false,
  });
  expect(session.send({ type: 'set_permission_mode', mode: 'acceptEdits' })).toMatchObject({ ok: true });
  expect(session.info().permissionMode).toBe('acceptEdits');
  await session.close();
  const forbidden = await openSession({
    cwd: at.cwd,
    environment: at.environment,
    permissionMode: 'bypassPermissions',
    settings: '{"permissions":{"disableBypassPermissionsMode":"disable"}}',
    model: session.info().model,
  });
  expect(forbidden).toMatchObject({ ok: false, problem: { kind: 'usage' } });
});

test("a repository's allow rules and model are held until it is trusted; its deny rules hold at once", async () => {
  const at = work({
    '.cadre/settings.json': JSON.stringify({ permissions: { allow: ['Bash'], deny: ['Read(secret.txt)'] } }),
    'secret.txt': 'hush',
  });
  const turns = [touch, call('Read', { file_path: join(at.cwd, 'secret.txt') }), say('Done.')];
  const held = await open(at, turns);
  await held.prompt('Go');
  expect(held.events.filter((event) => event.type === 'permission_denied')).toHaveLength(2);
  expect(held.events.find((event) => event.type === 'notice_given')).toMatchObject({
    text: expect.stringContaining('permissions.allow'),
  });
  await held.session.close();

  const trusted = await open(at, turns, { trust: true });
  await trusted.prompt('Go');
  expect(trusted.events.filter((event) => event.type === 'permission_denied')).toHaveLength(1);
  await trusted.session.close();
});

test('a tool that is denied as a whole is not shown to the model', async () => {
  const { session } = await open(work(), [], { disallowedTools: ['Bash', 'Task', 'Edit(src/**)'] });
  expect(session.info().tools).not.toContain('Bash');
  expect(session.info().tools).toContain('Edit');
  await session.close();
});

test('--tools keeps the named ones, knows aliases, and refuses what there is not', async () => {
  const at = work();
  const { session } = await open(at, [], { tools: ['read_file', 'Grep'] });
  expect(session.info().tools).toEqual(['Read', 'Grep']);
  await session.close();
  const none = await open(at, [], { tools: [] });
  expect(none.session.info().tools).toEqual([]);
  await none.session.close();
  expect(
    await openSession({ cwd: at.cwd, environment: at.environment, model: none.model, tools: ['Teleport'] }),
  ).toMatchObject({
    ok: false,
    problem: { kind: 'usage', message: expect.stringContaining('Teleport') },
  });
});

test('a question handler that throws has not said yes', async () => {
  const { session, prompt } = await open(
    work(),
    [touch, expecting({ toolResult: 'could not be answered: boom' }, say('Well.'))],
    {
      onQuestion: async () => {
        throw new Error('boom');
      },
    },
  );
  expect((await prompt('Go')).kind).toBe('completed');
  await session.close();
});

test('a mode that no repository may ask for is ignored, and that is said', async () => {
  const at = work({ '.claude/settings.json': '{"permissions":{"defaultMode":"bypassPermissions"}}' });
  const { session, prompt, events } = await open(at, [say('Hi.')], { trust: true });
  await prompt('Go');
  expect(session.info().permissionMode).toBe('default');
  expect(events.find((event) => event.type === 'notice_given')).toMatchObject({
    text: expect.stringContaining('a repository may not set it: permissions.defaultMode'),
  });
  await session.close();
});
