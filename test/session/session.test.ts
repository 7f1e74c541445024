import { expect, test } from 'bun:test';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSession } from '../../src/session/open.ts';
import { call, expecting, hang, say, scriptedModel } from '../../src/testing/index.ts';
import { open, place, recordsOf } from './support.ts';

function work(files: Record<string, string> = {}) {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  mkdirSync(at.environment.HOME ?? '', { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(at.cwd, name), text);
  return at;
}

test('a prompt becomes a run: running, started, messages, ended, idle', async () => {
  const { session, events, prompt } = await open(work(), [say('Hello.')]);
  expect(await prompt('Hi')).toMatchObject({ kind: 'completed', text: 'Hello.' });
  await session.close();
  const shown = events.filter((event) => event.type !== 'model_streamed' && event.type !== 'turn_started');
  expect(shown.map((event) => (event.type === 'state_changed' ? event.state : event.type))).toEqual([
    'running',
    'run_started',
    'message_added',
    'message_added',
    'run_ended',
    'idle',
  ]);
});

test('run() folds the events of one prompt into its outcome', async () => {
  const { session } = await open(work(), [say('Hello.')]);
  expect(await session.run('Hi')).toMatchObject({ kind: 'completed', text: 'Hello.' });
  await session.close();
});

test('a message is in the transcript before it is published', async () => {
  const { session, events, prompt } = await open(work(), [say('Hello.')]);
  await prompt('Hi');
  const records = await recordsOf(session);
  expect(records.map((record) => record.type)).toEqual(['session-state', 'user', 'assistant']);
  expect(events.filter((event) => event.type === 'message_added')).toHaveLength(2);
  await session.close();
});

test('a session in which nothing was said leaves no file', async () => {
  const at = work();
  const { session } = await open(at, []);
  await session.close();
  const again = await openSession({
    cwd: at.cwd,
    environment: at.environment,
    model: 'x',
    resume: { from: 'latest' },
  });
  expect(again).toMatchObject({ ok: false, problem: { kind: 'usage' } });
});

test('two prompts sent at once are two runs, in order', async () => {
  const { session, runs } = await open(work(), [say('First.'), say('Second.')]);
  session.send({ type: 'prompt', content: 'One' });
  session.send({ type: 'prompt', content: 'Two' });
  expect((await runs(2)).map((outcome) => outcome.text)).toEqual(['First.', 'Second.']);
  await session.close();
});

test('an interrupt ends the run; the next prompt goes on in the same conversation', async () => {
  const { session, model, events, prompt, runs } = await open(work(), [
    hang(say('Thinking aloud')),
    say('Fine.'),
  ]);
  session.send({ type: 'prompt', content: 'Go' });
  while (!events.some((event) => event.type === 'model_streamed' && event.event.type === 'block_ended'))
    await Bun.sleep(1);
  session.send({ type: 'interrupt' });
  expect(await runs(1)).toMatchObject([{ kind: 'interrupted', text: 'Thinking aloud' }]);
  expect((await prompt('And now?')).text).toBe('Fine.');
  expect(model.requests[1]?.messages.map((message) => message.role)).toEqual(['user', 'assistant', 'user']);
  await session.close();
});

test('a prompt that waits while a tool is interrupted is answered as the next turn, once', async () => {
  const { session, model, events, runs } = await open(
    work(),
    [call('Bash', { command: 'sleep 60' }), say('Answered.')],
    { permissionMode: 'bypassPermissions' },
  );
  session.send({ type: 'prompt', content: 'Go' });
  while (!events.some((event) => event.type === 'tool_started')) await Bun.sleep(1);
  session.send({ type: 'prompt', content: 'And this', uuid: 'waiting' });
  session.send({ type: 'interrupt' });
  expect((await runs(2)).map(({ kind }) => kind)).toEqual(['interrupted', 'completed']);
  await session.settled();
  expect(model.requests).toHaveLength(2);
  expect(events.flatMap((event) => (event.type === 'run_ended' ? [event.prompts] : []))[1]).toEqual([
    'waiting',
  ]);
  expect(JSON.stringify(model.requests[1]).split('And this')).toHaveLength(2);
  await session.close();
});

test('a closed session takes no more commands', async () => {
  const { session } = await open(work(), []);
  await session.close();
  expect(session.send({ type: 'prompt', content: 'Hi' })).toMatchObject({ ok: false });
});

test('P1 system prompt and tools are the same bytes in every request of a session', async () => {
  const { session, model, prompt } = await open(
    work({ 'AGENTS.md': 'Use tabs.' }),
    [call('Bash', { command: 'true' }), say('A.'), say('B.')],
    {
      permissionMode: 'bypassPermissions',
    },
  );
  await prompt('One');
  await prompt('Two');
  const rendered = model.requests.map(({ system, tools }) => JSON.stringify({ system, tools }));
  expect(new Set(rendered).size).toBe(1);
  expect(rendered[0]).toContain('Use tabs.');
  await session.close();
});

test('the real tools work through the session: read, edit, shell', async () => {
  const at = work({ 'a.txt': 'one\n' });
  const path = join(at.cwd, 'a.txt');
  const { session, model, prompt } = await open(
    at,
    [
      call('Read', { file_path: path }),
      expecting(
        { toolResult: 'one' },
        call('Edit', { file_path: path, old_string: 'one', new_string: 'two' }),
      ),
      call('Bash', { command: 'cat a.txt' }),
      expecting({ toolResult: 'two' }, say('Done.')),
    ],
    { permissionMode: 'acceptEdits', allowedTools: ['Bash(cat a.txt)'] },
  );
  expect((await prompt('Go')).kind).toBe('completed');
  model.assertConsumed();
  expect(readFileSync(path, 'utf8')).toBe('two\n');
  await session.close();
  const kept = (await recordsOf(session)).find((record) => record.type === 'file-history');
  expect(kept).toMatchObject({ path, before: expect.any(String) });
});

test('a finished background command wakes the idle agent with a notification', async () => {
  const { session, model, runs } = await open(
    work(),
    [
      call('Bash', { command: 'echo from afar', run_in_background: true }),
      say('Started.'),
      expecting({ userText: '<task-notification>' }, say('Seen.')),
    ],
    { permissionMode: 'bypassPermissions' },
  );
  session.send({ type: 'prompt', content: 'Go' });
  const outcomes = await runs(2).catch(() => []);
  // The command may end before or after the first run does: either way it is told exactly once.
  expect(outcomes.at(-1)?.text).toBe('Seen.');
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('from afar');
  await session.close();
});

test('G5 closing the session ends its background commands', async () => {
  const { session, prompt } = await open(
    work(),
    [call('Bash', { command: 'sleep 300', run_in_background: true }), say('Started.')],
    {
      permissionMode: 'bypassPermissions',
    },
  );
  await prompt('Go');
  expect(session.tasks()).toMatchObject([{ status: 'running' }]);
  await session.close();
  expect(session.tasks()).toMatchObject([{ status: 'killed' }]);
});

test('bashOutputMaxChars bounds what a command puts into the context', async () => {
  const { session, model, prompt } = await open(
    work(),
    [call('Bash', { command: 'seq 1 2000' }), expecting({ toolResult: 'cut here' }, say('Done.'))],
    { permissionMode: 'bypassPermissions', settings: '{"bashOutputMaxChars": 200}' },
  );
  await prompt('Go');
  model.assertConsumed();
  await session.close();
});

test.each([
  [{ type: 'budget', tokens: 8000 }, 'the token budget for thinking is ignored'],
  [{ type: 'off' }, 'always thinks'],
] as const)(
  'thinking %p that a model cannot be asked for is said, not changed in silence',
  async (thinking, words) => {
    const model = scriptedModel([say('Hi.')], { facts: { thinking: ['adaptive'] } });
    const opened = await open(work(), [], { model, thinking });
    await opened.prompt('Go');
    expect(opened.events.find((event) => event.type === 'notice_given')).toMatchObject({
      text: expect.stringContaining(words),
    });
    await opened.session.close();
  },
);

test('two runs asked for at once get their own outcomes', async () => {
  const { session } = await open(work(), [say('First.'), say('Second.')]);
  const outcomes = await Promise.all([session.run('One'), session.run('Two')]);
  expect(outcomes.map((outcome) => outcome.text)).toEqual(['First.', 'Second.']);
  await session.close();
});

test('an interrupt right behind a prompt is for its run', async () => {
  const { session, model, runs } = await open(work(), [say('Never asked for.')]);
  session.send({ type: 'prompt', content: 'Go' });
  session.send({ type: 'interrupt' });
  expect((await runs(1))[0]?.kind).toBe('interrupted');
  expect(model.requests).toEqual([]);
  await session.close();
});

test('NT2 a background command that the end of the session stopped is told when the session goes on', async () => {
  const at = work();
  const first = await open(
    at,
    [call('Bash', { command: 'sleep 300', run_in_background: true }), say('Started.')],
    {
      permissionMode: 'bypassPermissions',
    },
  );
  await first.prompt('Go');
  await first.session.close();
  const second = await open(at, [expecting({ userText: '<status>killed</status>' }, say('I see.'))], {
    resume: { from: 'latest' },
  });
  await second.prompt('And?');
  second.model.assertConsumed();
  await second.session.close();
});

test.each([
  [{ cwd: '/nowhere/at/all' }, 'not a directory'],
  [{ additionalDirectories: ['/nowhere/at/all'] }, 'not a directory'],
  [{ permissionMode: 'bogus' as 'plan' }, 'Unknown permission mode "bogus"'],
  [{ maxTurns: 0 }, 'maxTurns is 0'],
])('options %p are refused before anything happens', async (options, words) => {
  const at = work();
  const opened = await openSession({
    cwd: at.cwd,
    environment: at.environment,
    model: scriptedModel([]),
    ...options,
  });
  expect(opened).toMatchObject({
    ok: false,
    problem: { kind: 'usage', message: expect.stringContaining(words) },
  });
});

test('guards that this version does not have are named, and so are keys that resemble one of ours', async () => {
  const settings = JSON.stringify({
    sandbox: { enabled: false, network: { allowUnixSockets: ['/run/x'] } },
    permissions: { denny: ['Bash'] },
    permisions: {},
    permision: {},
    disallowedTools: ['Bash'],
    maxBudget: 5,
    agent: 'reviewer',
    somethingElse: 1,
  });
  const { session, prompt, events } = await open(work(), [say('Hi.')], {
    settings,
  });
  await prompt('Go');
  const notices = events.flatMap((event) => (event.type === 'notice_given' ? [event.text] : []));
  expect(notices).toContain('Unknown setting sandbox.network.allowUnixSockets (--settings) is ignored.');
  expect(notices.join('\n')).toMatch(
    /Unknown setting permissions\.denny .* Did you mean permissions\.deny\?/,
  );
  expect(notices.join('\n')).toMatch(/Unknown setting permisions .* Did you mean permissions\?/);
  expect(notices.join('\n')).toMatch(/Unknown setting disallowedTools .* Did you mean permissions\.deny\?/);
  expect(notices.join('\n')).toMatch(/Unknown setting maxBudget .* Did you mean maxBudgetUsd\?/);
  expect(notices.filter((text) => text.startsWith('Unknown setting'))).toHaveLength(6);
  await session.close();
});

test('a directory of the settings that is not there is named, and so is a variable that makes no sense', async () => {
  const at = work();
  const settings = JSON.stringify({ permissions: { additionalDirectories: ['../nowhere'] } });
  const environment = { ...at.environment, CLAUDE_CODE_MAX_CONCURRENT_SUBAGENTS: 'x' };
  const { session, prompt, events } = await open({ ...at, environment }, [say('Hi.')], { settings });
  await prompt('Go');
  const notices = events.flatMap((event) => (event.type === 'notice_given' ? [event.text] : []));
  expect(notices).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/additionalDirectories \(--settings\): .*nowhere is not a directory\.$/),
      expect.stringContaining('CLAUDE_CODE_MAX_CONCURRENT_SUBAGENTS: expected a whole number'),
    ]),
  );
  await session.close();
});
