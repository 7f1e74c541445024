import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveHost } from '../../src/headless/host/serve-host.ts';
import { call, expecting, hang, say } from '../../src/testing/index.ts';
import { control, noInterrupts, pipe, request, user } from './support.ts';

const stream = { inputFormat: 'stream-json', outputFormat: 'stream-json' } as const;
const isResult = (frame: Record<string, unknown>) => frame.type === 'result';
const answersTo = (id: string) => (frame: Record<string, unknown>) =>
  frame.type === 'control_response' && (frame.response as { request_id: string }).request_id === id;
const asks = (frame: Record<string, unknown>) => frame.type === 'control_request';

test('initialize is answered with its required fields; a prompt sent right behind it is not lost', async () => {
  const { io, write, end, frames } = pipe();
  write(control('1', 'initialize', { systemPrompt: [''] }));
  write(user('Hi'));
  end();
  const wanted = request([say('Hello.')], stream);
  expect(await serveHost(wanted, io, noInterrupts)).toBe(0);
  expect(frames().find(answersTo('1'))).toMatchObject({
    response: {
      subtype: 'success',
      response: {
        commands: [],
        agents: expect.arrayContaining([{ name: 'general-purpose', description: expect.any(String) }]),
        output_style: 'default',
        available_output_styles: ['default'],
      },
    },
  });
  expect(frames().find(isResult)).toMatchObject({ subtype: 'success', result: 'Hello.' });
  expect(wanted.model.requests[0]?.system.join('')).not.toContain('You are Cadre');
});

test('every prompt gets a result of its own', async () => {
  const { io, write, end, frames } = pipe();
  write(user('One'));
  write(user('Two'));
  end();
  expect(await serveHost(request([say('1'), say('2')], stream), io, noInterrupts)).toBe(0);
  expect(
    frames()
      .filter(isResult)
      .map((frame) => frame.result),
  ).toEqual(['1', '2']);
});

test('can_use_tool asks the host; its yes runs the call', async () => {
  const { io, write, end, frame, frames } = pipe();
  const wanted = request(
    [call('Bash', { command: 'echo $[6*7]' }, 'c1'), expecting({ toolResult: '42' }, say('Done.'))],
    { ...stream, hostAnswers: true },
  );
  const served = serveHost(wanted, io, noInterrupts);
  write(user('Go'));
  const asked = await frame(asks);
  expect(asked.request).toMatchObject({
    subtype: 'can_use_tool',
    tool_name: 'Bash',
    tool_use_id: 'c1',
    input: { command: 'echo $[6*7]' },
  });
  write({
    type: 'control_response',
    response: {
      subtype: 'success',
      request_id: asked.request_id,
      response: { behavior: 'allow', updatedInput: { command: 'echo $[6*7]' } },
    },
  });
  await frame(isResult);
  end();
  expect(await served).toBe(0);
  wanted.model.assertConsumed();
  expect(
    frames()
      .filter((f) => f.subtype === 'session_state_changed')
      .map((f) => f.state),
  ).toEqual(['running', 'requires_action', 'running', 'idle']);
});

test("the host's no reaches the model with its message", async () => {
  const { io, write, end, frame } = pipe();
  const wanted = request(
    [call('Bash', { command: 'rm x' }), expecting({ toolResult: 'not on my watch' }, say('Well.'))],
    { ...stream, hostAnswers: true },
  );
  const served = serveHost(wanted, io, noInterrupts);
  write(user('Go'));
  const asked = await frame(asks);
  write({
    type: 'control_response',
    response: {
      subtype: 'success',
      request_id: asked.request_id,
      response: { behavior: 'deny', message: 'not on my watch' },
    },
  });
  await frame(isResult);
  end();
  expect(await served).toBe(0);
  wanted.model.assertConsumed();
});

test('an interrupt during a question takes it back from the host', async () => {
  const { io, write, end, frame } = pipe();
  const served = serveHost(
    request([call('Bash', { command: 'rm x' })], { ...stream, hostAnswers: true }),
    io,
    noInterrupts,
  );
  write(user('Go'));
  const asked = await frame(asks);
  write(control('9', 'interrupt'));
  await frame((f) => f.type === 'control_cancel_request' && f.request_id === asked.request_id);
  expect(await frame(isResult)).toMatchObject({ subtype: 'error_during_execution', outcome: 'interrupted' });
  end();
  expect(await served).toBe(0);
});

test('interrupt ends the turn and says what is still queued', async () => {
  const { io, write, end, frame, frames } = pipe();
  const served = serveHost(request([hang(say('Wait')), say('Next.')], stream), io, noInterrupts);
  write(user('Go'));
  await frame((f) => f.subtype === 'init');
  write(user('Later', { uuid: 'u2' }));
  write(control('9', 'interrupt'));
  expect(await frame(answersTo('9'))).toMatchObject({
    response: { subtype: 'success', response: { still_queued: ['u2'] } },
  });
  end();
  await served;
  expect(
    frames()
      .filter(isResult)
      .map((f) => f.outcome),
  ).toEqual(['interrupted', 'completed']);
});

test('a prompt that waits while a tool is interrupted is answered as the next turn', async () => {
  const { io, write, end, frame, frames } = pipe();
  const wanted = request([call('Bash', { command: 'touch begun; sleep 60' }), say('Next.')], {
    ...stream,
    session: { permissionMode: 'bypassPermissions' },
  });
  const served = serveHost(wanted, io, noInterrupts);
  write(user('Go'));
  while (!existsSync(join(wanted.session.cwd ?? '', 'begun'))) await Bun.sleep(5);
  write(user('And this', { uuid: 'u2', priority: 'next' }));
  write(control('9', 'interrupt'));
  await frame(answersTo('9'));
  end();
  await served;
  const results = frames().filter(isResult);
  expect(results.map((f) => f.outcome)).toEqual(['interrupted', 'completed']);
  wanted.model.assertConsumed();
});

test('set_permission_mode and set_model answer, and refuse what there is not', async () => {
  const { io, write, end, frames } = pipe();
  write(control('1', 'set_permission_mode', { mode: 'acceptEdits' }));
  write(control('2', 'set_permission_mode', { mode: 'bypassPermissions' }));
  write(control('3', 'set_permission_mode', { mode: 'sideways' }));
  write(control('4', 'set_model', { model: 'nobody/nothing' }));
  write(control('5', 'fly'));
  end();
  expect(await serveHost(request([], stream), io, noInterrupts)).toBe(0);
  const replies = ['1', '2', '3', '4', '5'].map(
    (id) => (frames().find(answersTo(id))?.response as { subtype: string } | undefined)?.subtype,
  );
  expect(replies).toEqual(['success', 'error', 'error', 'error', 'error']);
  expect(frames().find(answersTo('5'))).toMatchObject({ response: { error_code: 'unsupported_request' } });
});

test('a field of the wrong type is refused: it means neither everything nor a yes', async () => {
  const { io, write, end, frames } = pipe();
  write(control('1', 'background_tasks', { tool_use_id: 5 }));
  write(control('2', 'rewind_files', { user_message_id: 'u', dry_run: 'true' }));
  write(control('3', 'interrupt', { cancel_queued: 'yes' }));
  end();
  expect(await serveHost(request([], stream), io, noInterrupts)).toBe(0);
  const errors = ['1', '2', '3'].map(
    (id) => (frames().find(answersTo(id))?.response as { error?: string } | undefined)?.error,
  );
  expect(errors).toEqual([
    'background_tasks: expected tool_use_id, the id of a call; found the number 5.',
    'rewind_files: expected dry_run to be true or false; found a string.',
    'interrupt: expected cancel_queued to be true or false; found a string.',
  ]);
});

test('a value that cannot become text is refused, and the session stays open', async () => {
  const { io, write, end, frames } = pipe();
  const odd = { toString: 1, valueOf: 1 };
  const message = { jsonrpc: '2.0', method: 'ping' };
  write(control('1', 'set_permission_mode', { mode: odd }));
  write(control('2', 'mcp_message', { server_name: odd, message }));
  end();
  expect(await serveHost(request([], stream), io, noInterrupts)).toBe(0);
  for (const id of ['1', '2'])
    expect(frames().find(answersTo(id))).toMatchObject({
      response: { subtype: 'error', error: expect.stringContaining('"toString":1') },
    });
});

test.each([[5], [''], [{}], [[]], [true]])(
  'set_model with %j is an error that names the field',
  async (model) => {
    const { io, write, end, frames } = pipe();
    write(control('1', 'set_model', { model }));
    write(control('2', 'set_model', { model: null }));
    write(control('3', 'stop_task', { task_id: model }));
    write(control('4', 'stop_task', { task_id: '\u0000../../garbage' }));
    end();
    expect(await serveHost(request([], stream), io, noInterrupts)).toBe(0);
    expect(JSON.stringify(frames().find(answersTo('1')))).toContain('set_model: expected model');
    expect(frames().find(answersTo('2'))).toMatchObject({ response: { subtype: 'success' } });
    for (const id of ['3', '4'])
      expect(frames().find(answersTo(id))).toMatchObject({ response: { subtype: 'error' } });
  },
);

test.each([
  ['bad JSON', '{"type":', 'line 1: not valid JSON'],
  ['an unknown kind', '{"type":"hello"}\n', 'line 1: field type'],
  ['a user message without content', '{"type":"user","message":{"role":"user"}}\n', 'message.content'],
])('%s on standard input is exit 2, names line and field, and costs no token', async (_, text, expected) => {
  const { io, write, end, err } = pipe();
  const wanted = request([], stream);
  write(text);
  end();
  expect(await serveHost(wanted, io, noInterrupts)).toBe(2);
  expect(err()).toContain(expected);
  expect(wanted.model.requests).toEqual([]);
});

test('features that are not there are refused, not ignored', async () => {
  const { io, write, end, err, frames } = pipe();
  write(control('1', 'initialize', { plugins: ['mine'] }));
  end();
  expect(await serveHost(request([], stream), io, noInterrupts)).toBe(2);
  expect(err()).toContain('plugins');
  expect(frames().find(answersTo('1'))).toMatchObject({ response: { subtype: 'error' } });
});

test.each([
  [['b', 'c'], '- b: does b'],
  [[], undefined],
])('a host chooses the skills that the model is shown: %j', async (skills, shown) => {
  const { io, write, end, frame } = pipe();
  const wanted = request([say('Hi.')], stream);
  for (const name of ['a', 'b']) {
    const folder = join(wanted.session.cwd ?? '', '.claude/skills', name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'SKILL.md'), `---\ndescription: does ${name}\n---\nDo it.`);
  }
  const served = serveHost(wanted, io, noInterrupts);
  write(control('1', 'initialize', { skills }));
  const { response } = await frame(answersTo('1'));
  expect(response).toMatchObject({ response: { commands: [{ name: 'a' }, { name: 'b' }] } });
  write(user('Go'));
  await frame(({ type }) => type === 'result');
  end();
  await served;
  const tool = wanted.model.requests[0]?.tools.find(({ name }) => name === 'Skill');
  expect(tool?.description.split('\n').at(-1)).toBe(shown as string);
});

test('skills that are no list of names are refused', async () => {
  const { io, write, end, err } = pipe();
  write(control('1', 'initialize', { skills: 'mine' }));
  end();
  expect(await serveHost(request([], stream), io, noInterrupts)).toBe(2);
  expect(err()).toContain('skills: expected a list of names');
});

test('a question still open when the host leaves is denied', async () => {
  const { io, write, end, frame } = pipe();
  const wanted = request(
    [call('Bash', { command: 'rm x' }), expecting({ toolResult: 'closed the connection' }, say('Well.'))],
    { ...stream, hostAnswers: true },
  );
  const served = serveHost(wanted, io, noInterrupts);
  write(user('Go'));
  await frame(asks);
  end();
  expect(await served).toBe(0);
  wanted.model.assertConsumed();
});

test('a question that comes up after the host left is denied, and the run ends', async () => {
  const { io, write, end } = pipe();
  const wanted = request(
    [
      call('Read', { file_path: '/etc/hostname' }),
      expecting({ toolResult: 'There is no user' }, say('Well.')),
    ],
    { ...stream, hostAnswers: true },
  );
  write(user('Go'));
  end();
  expect(await serveHost(wanted, io, noInterrupts)).toBe(0);
  wanted.model.assertConsumed();
});

test('a blank prompt and an image that is no base64 are refused by line', async () => {
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'not base64!' } };
  for (const content of ['  ', [{ type: 'text', text: ' ' }], [image]]) {
    const { io, write, end, out } = pipe();
    write({ type: 'user', message: { role: 'user', content } });
    end();
    expect(await serveHost(request([], stream), io, noInterrupts)).toBe(1);
    expect(out()).toContain('stdin, line 1: message.content');
  }
});

test('a second initialize cannot change the prompt, and says so', async () => {
  const { io, write, end, frames } = pipe();
  write(control('1', 'initialize'));
  write(control('2', 'initialize', { systemPrompt: ['Be a pirate.'] }));
  end();
  expect(await serveHost(request([], stream), io, noInterrupts)).toBe(0);
  expect(frames().find(answersTo('2'))).toMatchObject({ response: { subtype: 'error' } });
});

test('rewind_files puts files back to how they were at a prompt; a dry run only says so', async () => {
  const { io, write, end, frame } = pipe();
  const wanted = request([call('Write', { file_path: 'made.txt', content: 'one\ntwo\n' }), say('Done.')], {
    ...stream,
    session: { permissionMode: 'acceptEdits' },
  });
  const file = join(wanted.session.cwd ?? '', 'made.txt');
  const served = serveHost(wanted, io, noInterrupts);
  write({ ...user('Go'), uuid: 'p1' });
  await frame((one) => one.type === 'system' && one.state === 'idle');
  write(control('dry', 'rewind_files', { user_message_id: 'p1', dry_run: true }));
  expect(await frame(answersTo('dry'))).toMatchObject({
    response: {
      subtype: 'success',
      response: { canRewind: true, filesChanged: [file], insertions: 0, deletions: 2 },
    },
  });
  expect(existsSync(file)).toBe(true);
  write(control('real', 'rewind_files', { user_message_id: 'p1' }));
  expect(await frame(answersTo('real'))).toMatchObject({
    response: { response: { canRewind: true, filesChanged: [file], skippedLinks: 0 } },
  });
  expect(existsSync(file)).toBe(false);
  write(control('no', 'rewind_files', { user_message_id: 'p9' }));
  expect(await frame(answersTo('no'))).toMatchObject({
    response: { response: { canRewind: false, error: expect.stringContaining('p9') } },
  });
  end();
  expect(await served).toBe(0);
});

test('get_context_usage tells what the next request takes', async () => {
  const { io, write, end, frame } = pipe();
  const served = serveHost(request([], stream), io, noInterrupts);
  write(control('1', 'get_context_usage'));
  expect(await frame(answersTo('1'))).toMatchObject({
    response: { response: { totalTokens: expect.any(Number), categories: expect.any(Array), gridRows: [] } },
  });
  end();
  expect(await served).toBe(0);
});

test('a host that never reads is given up with bounded memory, and the session ends with a message', async () => {
  const { io, write, err } = pipe();
  const silent = { ...io, writeOut: () => new Promise<boolean>(() => {}) };
  const large = 'x'.repeat(24 * 1024 * 1024);
  const served = serveHost(request([say('a'), say('b'), say('c')], stream), silent, noInterrupts);
  for (const _ of [1, 2, 3]) write(user(large));
  expect(await served).toBe(1);
  expect(err()).toContain('has stopped reading');
});

test.each([
  [[{ type: 'hologram' }], 'block 0: type "hologram" is not supported'],
  [
    [
      { type: 'text', text: 'a' },
      { type: 'image', source: { type: 'file', file_id: 'x' } },
    ],
    'block 1: this form of type "image"',
  ],
  [[{ text: 'a' }], 'block 0 has no type'],
  [[], 'it is empty'],
  [[{ type: 'text', text: ' ' }], 'it is empty'],
])(
  'a prompt with a block that cannot be taken is refused by name, and the session continues',
  async (content, named) => {
    const { io, write, end, frames } = pipe();
    const wanted = request([say('Well.')], stream);
    write({ type: 'user', message: { role: 'user', content } });
    write(user('Go'));
    end();
    expect(await serveHost(wanted, io, noInterrupts)).toBe(0);
    const results = frames().filter(isResult);
    expect(results.map((frame) => frame.is_error)).toEqual([true, false]);
    expect(JSON.stringify(results[0])).toContain(JSON.stringify(named).slice(1, -1));
    wanted.model.assertConsumed();
  },
);

test('initialize may be repeated by a host that reconnects, and not changed', async () => {
  const { io, write, end, frames } = pipe();
  const first = { systemPrompt: 'Be brief.', agents: { a: { description: 'd', prompt: 'p' } } };
  write(control('1', 'initialize', first));
  write(control('2', 'initialize', first));
  write(control('3', 'initialize', { systemPrompt: 'Be long.' }));
  end();
  expect(await serveHost(request([], stream), io, noInterrupts)).toBe(0);
  const replies = ['1', '2', '3'].map(
    (id) => (frames().find(answersTo(id))?.response as { subtype: string } | undefined)?.subtype,
  );
  expect(replies).toEqual(['success', 'success', 'error']);
});

test('the usage of a result has every field that hosts read', async () => {
  const { io, write, end, frames } = pipe();
  write(user('Go'));
  end();
  await serveHost(request([say('Well.')], stream), io, noInterrupts);
  expect(frames().find(isResult)?.usage).toMatchObject({
    input_tokens: expect.any(Number),
    output_tokens: expect.any(Number),
    cache_read_input_tokens: expect.any(Number),
    cache_creation_input_tokens: expect.any(Number),
    cache_creation: { ephemeral_5m_input_tokens: expect.any(Number), ephemeral_1h_input_tokens: 0 },
    server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
    service_tier: 'standard',
  });
});
