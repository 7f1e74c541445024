import { expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findOwned } from '../../src/lib/processes/process.ts';
import { call, lastUserText, say } from '../../src/testing/index.ts';
import { bench, notices, of, on, openBench, printing, results, specific } from './support.ts';

const yes = { allowedTools: ['Bash'] };
const touch = call('Bash', { command: 'touch made' });

test('after a call a hook adds to its result, changes it, or ends the run', async () => {
  const b = bench();
  b.hooks({
    PostToolUse: on(specific('PostToolUse', { additionalContext: 'lint it', updatedToolOutput: 'replaced' })),
  });
  const story = await openBench(b, [call('Bash', { command: 'echo original' }), say('Ok.')], yes);
  await story.prompt('Go');
  const [result] = results(story.events);
  expect(result).toStartWith('replaced');
  expect(result).toContain('lint it');
  expect(result).not.toContain('original');
  await story.session.close();

  const c = bench();
  c.hooks({ PostToolUse: on(printing({ continue: false, stopReason: 'enough' })) });
  const other = await openBench(c, [touch], yes);
  expect(await other.prompt('Go')).toMatchObject({ kind: 'interrupted', reason: 'enough' });
  await other.session.close();
});

test('a hook after a call reads what came of it; one after a failure reads the error', async () => {
  const b = bench();
  b.hooks({
    PostToolUse: on(`cat >> ${b.path('after')}; echo >> ${b.path('after')}`),
    PostToolUseFailure: on(`cat >> ${b.path('failed')}; echo "try again" >&2; exit 2`),
  });
  const turns = [
    call('Bash', { command: 'echo fine' }),
    call('Bash', { command: 'echo bad; exit 7' }),
    say('Ok.'),
  ];
  const story = await openBench(b, turns, yes);
  await story.prompt('Go');
  const after = b.lines('after').map((line) => JSON.parse(line));
  expect(after).toHaveLength(1);
  expect(after[0].tool_response).toBeDefined();
  expect(after[0].duration_ms).toBeNumber();
  expect(JSON.parse(b.lines('failed').join(''))).toMatchObject({ tool_name: 'Bash', is_interrupt: false });
  expect(results(story.events)[1]).toContain('try again');
  await story.session.close();
});

test('a prompt can be held back: no model reads it, and whoever sent it is told', async () => {
  const b = bench();
  b.hooks({
    UserPromptSubmit: on('[[ $(cat) == *secret* ]] && { echo "no secrets" >&2; exit 2; }; echo "Be brief."'),
  });
  const story = await openBench(b, [say('Hello.')]);
  const refused = await story.session.run('my secret');
  expect(refused).toMatchObject({ kind: 'failed', reason: 'A hook blocked the prompt: no secrets' });
  expect((await story.session.run('hello')).kind).toBe('completed');
  const [request] = story.model.requests;
  expect(JSON.stringify(request?.messages)).not.toContain('my secret');
  expect(lastUserText(request as never)).toContain('Be brief.');
  expect(of(story.events, 'prompt_refused')).toHaveLength(1);
  await story.session.close();
});

test.each([
  ['a repository, whose status goes along with it', true, {}],
  ['plan mode, whose instructions go along with it', false, { permissionMode: 'plan' as const }],
])('a first prompt that is held back starts no run in %s', async (_, isRepository, options) => {
  const b = bench();
  if (isRepository) execFileSync('git', ['init', '-q'], { cwd: b.at.cwd });
  b.hooks({ UserPromptSubmit: on('echo no >&2; exit 2') });
  const story = await openBench(b, [say('Hello.')], options);
  expect(await story.session.run('some prompt')).toMatchObject({
    kind: 'failed',
    reason: 'A hook blocked the prompt: no',
  });
  expect(story.model.requests).toHaveLength(0);
  await story.session.close();
});

test('the start of a session adds context to its first prompt, and its end is told once', async () => {
  const b = bench();
  b.hooks({
    SessionStart: on(`cat > ${b.path('start')}; echo "The build is red."`, {}, 'startup'),
    SessionEnd: on(`cat >> ${b.path('end')}`),
  });
  const story = await openBench(b, [say('One.'), say('Two.')]);
  await story.prompt('First');
  await story.prompt('Second');
  await story.session.close();
  await story.session.close();
  const texts = JSON.stringify(story.model.requests[1]?.messages);
  expect(texts.match(/The build is red/g)).toHaveLength(1);
  expect(JSON.parse(b.lines('start').join(''))).toMatchObject({ source: 'startup', model: story.model.id });
  expect(JSON.parse(b.lines('end').join(''))).toMatchObject({
    hook_event_name: 'SessionEnd',
    reason: 'other',
  });
});

test('leaving takes a hook no longer than its budget', async () => {
  const b = bench();
  b.hooks({ SessionEnd: on('sleep 300') });
  const story = await openBench(b, [say('One.')]);
  await story.prompt('First');
  // The hook itself would take longer than any test may.
  await story.session.close();
  expect(findOwned({ owner: story.session.id })).toEqual([]);
});

test('a hook keeps the agent from stopping, and is told that it did', async () => {
  const b = bench();
  const hook = `input=$(cat); echo "$input" >> ${b.path('log')}; [[ $input == *'"stop_hook_active":true'* ]] || { echo "run the tests" >&2; exit 2; }`;
  b.hooks({ Stop: on(hook) });
  const story = await openBench(b, [say('Done.'), say('Tests pass.')]);
  const outcome = await story.prompt('Go');
  expect(outcome).toMatchObject({ kind: 'completed', text: 'Tests pass.', turns: 2 });
  expect(lastUserText(story.model.requests[1] as never)).toContain('run the tests');
  const told = b.lines('log').map((line) => JSON.parse(line));
  expect(told.map((one) => [one.stop_hook_active, one.last_assistant_message])).toEqual([
    [false, 'Done.'],
    [true, 'Tests pass.'],
  ]);
  expect(of(story.events, 'run_ended')).toHaveLength(1);
  await story.session.close();
});

test('a hook that never lets the agent stop is not heard for ever', async () => {
  const b = bench();
  b.hooks({ Stop: on(printing({ decision: 'block', reason: 'more' })) });
  const story = await openBench(
    b,
    Array.from({ length: 20 }, () => say('Done.')),
  );
  const outcome = await story.prompt('Go');
  expect(outcome.turns).toBe(11);
  expect(notices(story.events)).toContain('the agent was stopped anyway');
  await story.session.close();
});

test('the limit of turns holds over the wishes of a hook', async () => {
  const b = bench();
  b.hooks({ Stop: on(printing({ decision: 'block', reason: 'more' })) });
  const story = await openBench(b, [say('One.'), say('Two.')], { maxTurns: 2 });
  expect((await story.prompt('Go')).kind).toBe('out_of_turns');
  await story.session.close();
});

test('a question can be answered by a hook, with another input and with a rule for later', async () => {
  const b = bench();
  const decision = {
    behavior: 'allow',
    updatedInput: { command: 'touch changed' },
    updatedPermissions: [
      { type: 'addRules', behavior: 'allow', rules: [{ toolName: 'Bash', ruleContent: 'touch later' }] },
      { type: 'setMode', mode: 'bypassPermissions' },
    ],
  };
  b.hooks({
    PermissionRequest: on(
      `[[ $(cat) == *made* ]] && ${specific('PermissionRequest', { decision })} < /dev/null; true`,
    ),
  });
  const story = await openBench(b, [touch, call('Bash', { command: 'touch later' }), say('Ok.')]);
  await story.prompt('Go');
  expect(['made', 'changed', 'later'].map((name) => existsSync(join(b.at.cwd, name)))).toEqual([
    false,
    true,
    true,
  ]);
  expect(story.session.info().permissionMode).toBe('default');
  expect(of(story.events, 'question_asked')).toEqual([]);
  await story.session.close();
});

test.each([
  [{ type: 'addRules', behavior: 'deny', rules: [{ toolName: 'Bsah' }] }, 'Did you mean Bash?'],
  [{ type: 'addRules', behavior: 'allow', rules: [{ toolName: 'Bash', ruleContent: 5 }] }, 'ruleContent'],
  [{ type: 'addRules', behavior: 'dny', rules: [] }, 'behavior'],
])('a hook whose rules cannot be read has not answered: %p', async (update, field) => {
  const b = bench();
  const decision = { behavior: 'allow', updatedPermissions: [update] };
  b.hooks({ PermissionRequest: on(specific('PermissionRequest', { decision })) });
  const story = await openBench(b, [touch, say('Ok.')]);
  await story.prompt('Go');
  expect(existsSync(join(b.at.cwd, 'made'))).toBe(false);
  expect(notices(story.events)).toContain(field);
  await story.session.close();
});

test('PE the input that a hook answers with is judged: a denied one is denied', async () => {
  const b = bench();
  const decision = { behavior: 'allow', updatedInput: { command: 'touch evil' } };
  b.hooks({ PermissionRequest: on(specific('PermissionRequest', { decision })) });
  const story = await openBench(b, [touch, say('Ok.')], { disallowedTools: ['Bash(touch evil)'] });
  await story.prompt('Go');
  expect(existsSync(join(b.at.cwd, 'evil'))).toBe(false);
  await story.session.close();
});

test('a hook can say no to a question, and end the run with it', async () => {
  const b = bench();
  const decision = { behavior: 'deny', message: 'not today', interrupt: true };
  b.hooks({ PermissionRequest: on(specific('PermissionRequest', { decision })) });
  const story = await openBench(b, [touch]);
  expect((await story.prompt('Go')).kind).toBe('interrupted');
  expect(results(story.events)[0]).toContain('not today');
  expect(of(story.events, 'permission_denied')[0]?.decision.by).toBe('hook');
  await story.session.close();
});

test('a question that is put to a person is notified', async () => {
  const b = bench();
  b.hooks({ Notification: on(`cat > ${b.path('log')}`, {}, 'permission_prompt') });
  const story = await openBench(b, [touch, say('Ok.')]);
  await story.prompt('Go');
  while (b.lines('log').length === 0) await Bun.sleep(5);
  expect(JSON.parse(b.lines('log').join(''))).toMatchObject({
    notification_type: 'permission_prompt',
    message: 'Bash needs your permission: touch made',
  });
  await story.session.close();
});

test('a compaction can be held back', async () => {
  const b = bench();
  b.hooks({ PreCompact: on(`cat > ${b.path('log')}; echo "not now" >&2; exit 2`, {}, 'manual') });
  const story = await openBench(b, [say('One.')]);
  await story.prompt('First');
  story.session.send({ type: 'compact', instructions: 'dwell on it' });
  const outcome = (await story.runs(2)).at(-1);
  expect(outcome).toMatchObject({ kind: 'failed', reason: 'A hook blocked the compaction: not now' });
  expect(JSON.parse(b.lines('log').join(''))).toMatchObject({
    trigger: 'manual',
    custom_instructions: 'dwell on it',
  });
  await story.session.close();
});

test('an item of the list is created and completed only where hooks agree', async () => {
  const b = bench();
  b.hooks({
    TaskCreated: on(`cat >> ${b.path('created')}; echo >> ${b.path('created')}`),
    TaskCompleted: on('[[ $(cat) == *Ship* ]] && { echo "tests are red" >&2; exit 2; }; true'),
  });
  const list = (...states: string[]) => ({
    todos: ['Write', 'Ship'].map((content, index) => ({
      content,
      status: states[index],
      activeForm: content,
    })),
  });
  const turns = [
    call('TodoWrite', list('in_progress', 'pending')),
    call('TodoWrite', list('completed', 'pending')),
    call('TodoWrite', list('completed', 'completed')),
    say('Ok.'),
  ];
  const story = await openBench(b, turns);
  await story.prompt('Go');
  expect(b.lines('created').map((line) => JSON.parse(line).task_subject)).toEqual(['Write', 'Ship']);
  expect(results(story.events)[2]).toContain(
    'a TaskCompleted hook says: "Ship" is not completed: tests are red',
  );
  await story.session.close();
});

const exitTwo = {
  PostToolUse: 'completed',
  PostToolUseFailure: 'completed',
  SessionStart: 'completed',
  SessionEnd: 'completed',
  Notification: 'completed',
  SubagentStart: 'completed',
} as const;
for (const [event, kind] of Object.entries(exitTwo))
  test(`exit 2 at ${event} blocks nothing`, async () => {
    const b = bench();
    b.hooks({ [event]: on('echo why >&2; exit 2') });
    const turns = [touch, call('Bash', { command: 'false' }), say('Ok.')];
    const story = await openBench(b, turns, yes);
    expect((await story.prompt('Go')).kind).toBe(kind);
    expect(existsSync(join(b.at.cwd, 'made'))).toBe(true);
    await story.session.close();
  });
