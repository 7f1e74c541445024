import { expect, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import type { SessionOptions } from '../../src/session/options.ts';
import { clearSession, forkSession } from '../../src/session/run-once.ts';
import { call, hang, say, scriptedModel } from '../../src/testing/index.ts';
import { follow, open, place } from './support.ts';

function work(options: SessionOptions = {}) {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  const given: SessionOptions = { cwd: at.cwd, environment: at.environment, sandbox: false, ...options };
  return { at, given };
}

async function mustOpen(opening: ReturnType<typeof forkSession>, model: ReturnType<typeof scriptedModel>) {
  const opened = await opening;
  if (!opened.ok) throw new Error(opened.problem.message);
  return follow(opened.value, model);
}

for (const persist of [true, false])
  test(`a fork goes on with a copy of the conversation, beside the old session (${persist ? 'stored' : 'in memory'})`, async () => {
    const { at, given } = work({ persist });
    const old = await open(at, [say('Hello Ada.'), say('Still here.')], given);
    await old.prompt('I am Ada.');
    const model = scriptedModel([say('Ada.')]);
    const fork = await mustOpen(forkSession(old.session, { ...given, model }), model);
    expect(fork.session.id).not.toBe(old.session.id);
    await fork.prompt('Who am I?');
    expect(JSON.stringify(model.requests[0]?.messages)).toContain('Hello Ada.');
    await old.prompt('And you?');
    expect(JSON.stringify(old.model.requests[1]?.messages)).not.toContain('Who am I?');
    await fork.session.close();
    await old.session.close();
  });

test('clearing opens an empty session with the mode that is in force; the old one can be resumed', async () => {
  const { at, given } = work();
  const old = await open(at, [say('Hello.')], given);
  await old.prompt('Hi');
  old.session.send({ type: 'set_permission_mode', mode: 'acceptEdits' });
  const model = scriptedModel([say('New.')]);
  const next = await mustOpen(clearSession(old.session, { ...given, model }), model);
  expect(next.session.info().permissionMode).toBe('acceptEdits');
  await next.prompt('Who are you?');
  expect(model.requests[0]?.messages).toHaveLength(1);
  const again = await open(at, [], { ...given, resume: { from: 'id', id: old.session.id } });
  expect(again.session.messages()).toHaveLength(2);
  await again.session.close();
  await next.session.close();
});

test('the context report adds up to what the next request takes', async () => {
  const { at, given } = work();
  const { session, prompt } = await open(at, [say('Hello.')], given);
  const before = session.context();
  expect(before).toMatchObject({
    isMeasured: false,
    parts: expect.arrayContaining([{ name: 'messages', tokens: 0 }]),
  });
  await prompt('Hi');
  const { used, window, parts, compactsAt } = session.context();
  expect(parts.map(({ name }) => name)).toEqual(['system', 'memory', 'tools', 'mcpTools', 'messages']);
  expect(used).toBeLessThan(window);
  expect(compactsAt).toBeLessThan(window);
  await session.close();
});

test('stopping everything ends the turn, what waits, and background work', async () => {
  const { at, given } = work({ allowedTools: ['Bash'] });
  const { session, runs } = await open(
    at,
    [call('Bash', { command: 'sleep 100', run_in_background: true }), hang()],
    given,
  );
  session.send({ type: 'prompt', content: 'go' });
  while (session.tasks().length === 0) await new Promise((resolve) => setImmediate(resolve));
  session.send({ type: 'prompt', content: 'more', uuid: 'p2', delivery: 'queue' });
  await session.stopAll();
  expect(session.tasks()).toMatchObject([{ status: 'killed' }]);
  expect(session.queuedPrompts()).toEqual([]);
  expect((await runs(1))[0]).toMatchObject({ kind: 'interrupted' });
  await session.close();
});

test('prompts of all sessions are found through any of them; a session that keeps nothing adds nothing', async () => {
  const { at, given } = work();
  const one = await open(at, [], given);
  await (await one.session.prompts()).add({ text: 'remember', cwd: at.cwd, sessionId: one.session.id });
  await one.session.close();
  const two = await open(at, [], { ...given, persist: false });
  const prompts = await two.session.prompts();
  await prompts.add({ text: 'forget', cwd: at.cwd });
  expect(prompts.find()).toMatchObject({ ok: true, value: [{ text: 'remember' }] });
  await two.session.close();
});
