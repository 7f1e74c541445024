/**
 * The official agent SDK drives our program in place of its own. Not part of `npm test`: the SDK is fetched by
 * `npm run test:compat`, which says here where it is.
 */
import { expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  call,
  type FakeProvider,
  failWith,
  fakeProvider,
  hang,
  say,
  type Turn,
  together,
  toolResultText,
} from '../../src/testing/index.ts';
import { newPlace, until } from '../cli/support.ts';
import {
  type AgentSdk,
  collect,
  collectFailing,
  isInit,
  isResult,
  optionsFor,
  prompt,
  type SdkMessage,
  type SdkOptions,
  type SdkPrompt,
  type SdkQuery,
  Signal,
  sdkModule,
} from './support.ts';

const { query }: AgentSdk = await import(sdkModule);

test('a plain question: init, answer, result', async () => {
  const place = newPlace();
  await using provider = await fakeProvider({ script: ['Hello.'] });
  const messages = await collect(query({ prompt: 'Hi', options: optionsFor(place, provider) }));
  expect(messages.find(isInit)?.tools).toContain('Read');
  expect(messages.some(({ type }) => type === 'assistant')).toBe(true);
  expect(messages.find(isResult)).toMatchObject({
    type: 'result',
    subtype: 'success',
    result: 'Hello.',
    num_turns: 1,
  });
});

test('canUseTool allows, with a changed input', async () => {
  const place = newPlace();
  await using provider = await fakeProvider({ script: [write('a.txt', 'from the model'), 'Done.'] });
  const asked: string[] = [];
  const options: SdkOptions = {
    ...optionsFor(place, provider),
    canUseTool: async (name, input) => {
      asked.push(name);
      return { behavior: 'allow', updatedInput: { ...input, content: 'from the host' } };
    },
  };
  const messages = await collect(query({ prompt: 'Write', options }));
  expect(asked).toEqual(['Write']);
  expect(readFileSync(join(place.cwd, 'a.txt'), 'utf8')).toBe('from the host');
  expect(messages.find(isResult)).toMatchObject({ subtype: 'success', result: 'Done.' });
});

test('canUseTool denies: the model is told the reason, the result lists the denial', async () => {
  const place = newPlace();
  await using provider = await fakeProvider({ script: [write('a.txt', 'no'), 'I see.'] });
  const options: SdkOptions = {
    ...optionsFor(place, provider),
    canUseTool: async () => ({ behavior: 'deny', message: 'not on a Sunday' }),
  };
  const messages = await collect(query({ prompt: 'Write', options }));
  expect(existsSync(join(place.cwd, 'a.txt'))).toBe(false);
  const second = provider.received[1];
  expect(second ? toolResultText(second) : '').toContain('not on a Sunday');
  expect(messages.find(isResult)).toMatchObject({ subtype: 'success', result: 'I see.' });
  expect(messages.find(isResult)?.permission_denials?.map((denial) => denial.tool_name)).toEqual(['Write']);
});

test('canUseTool denies with interrupt: the run ends', async () => {
  const place = newPlace();
  await using provider = await fakeProvider({ script: [write('a.txt', 'no')] });
  const options: SdkOptions = {
    ...optionsFor(place, provider),
    canUseTool: async () => ({ behavior: 'deny', message: 'stop', interrupt: true }),
  };
  const messages = await collect(query({ prompt: 'Write', options }));
  expect(provider.received).toHaveLength(1);
  expect(messages.find(isResult)).toMatchObject({ subtype: 'error_during_execution' });
});

test('streamed input: two prompts, two results, one conversation', async () => {
  const place = newPlace();
  await using provider = await fakeProvider({ script: ['First.', 'Second.'] });
  const results = new Signal();
  async function* prompts(): AsyncGenerator<SdkPrompt> {
    yield prompt('one');
    await results.reached(1);
    yield prompt('two');
    await results.reached(2);
  }
  const messages = await collect(
    query({ prompt: prompts(), options: optionsFor(place, provider) }),
    (message) => {
      if (isResult(message)) results.count();
    },
  );
  expect(messages.filter(isResult).map(({ result }) => result)).toEqual(['First.', 'Second.']);
  expect(new Set(messages.flatMap(({ session_id }) => session_id ?? [])).size).toBe(1);
  expect(provider.received[1]?.messages).toHaveLength(3);
});

test('interrupt() ends a running command; the session takes the next prompt', async () => {
  const place = newPlace();
  await using provider = await fakeProvider({
    script: [call('Bash', { command: 'touch started; sleep 300' }), 'Going on.'],
  });
  const results = new Signal();
  async function* prompts(): AsyncGenerator<SdkPrompt> {
    yield prompt('Wait.');
    await results.reached(1);
    yield prompt('And now?');
    await results.reached(2);
  }
  const running = query({
    prompt: prompts(),
    options: { ...optionsFor(place, provider), ...skipPermissions },
  });
  const collected = collect(running, (message) => {
    if (isResult(message)) results.count();
  });
  await until(() => existsSync(join(place.cwd, 'started')));
  await running.interrupt();
  const messages = await collected;
  expect(messages.filter(isResult).map(({ subtype }) => subtype)).toEqual([
    'error_during_execution',
    'success',
  ]);
  provider.assertConsumed();
});

test('setPermissionMode(): what was asked about before runs unasked after', async () => {
  const place = newPlace();
  await using provider = await fakeProvider({
    script: [write('a.txt', '1'), 'One.', write('b.txt', '2'), 'Two.'],
  });
  const asked: unknown[] = [];
  const results = new Signal();
  async function* prompts(): AsyncGenerator<SdkPrompt> {
    yield prompt('one');
    await results.reached(1);
    await running.setPermissionMode('acceptEdits');
    yield prompt('two');
    await results.reached(2);
  }
  const options: SdkOptions = {
    ...optionsFor(place, provider),
    canUseTool: async (_, input) => {
      asked.push(input.file_path);
      return { behavior: 'allow', updatedInput: input };
    },
  };
  const running: SdkQuery = query({ prompt: prompts(), options });
  const messages = await collect(running, (message) => {
    if (isResult(message)) results.count();
  });
  expect(asked).toEqual(['a.txt']);
  expect(existsSync(join(place.cwd, 'b.txt'))).toBe(true);
  expect(messages.filter(isInit).at(-1)?.permissionMode).toBe('acceptEdits');
});

test('setModel(): the next request goes to the other model', async () => {
  const place = newPlace();
  await using provider = await fakeProvider({ script: ['One.', 'Two.'] });
  const results = new Signal();
  async function* prompts(): AsyncGenerator<SdkPrompt> {
    yield prompt('one');
    await results.reached(1);
    await running.setModel('claude-other-model');
    yield prompt('two');
    await results.reached(2);
  }
  const running: SdkQuery = query({ prompt: prompts(), options: optionsFor(place, provider) });
  await collect(running, (message) => {
    if (isResult(message)) results.count();
  });
  expect(provider.requests.map(({ json }) => json?.model)).toEqual([
    expect.not.stringContaining('other'),
    'claude-other-model',
  ]);
});

test('includePartialMessages: the pieces of an answer as they arrive', async () => {
  const place = newPlace();
  await using provider = await fakeProvider({ script: ['One, two, three, four, five.'] });
  const options = { ...optionsFor(place, provider), includePartialMessages: true };
  const messages = await collect(query({ prompt: 'Count', options }));
  const pieces = messages.flatMap(({ event }) =>
    event?.type === 'content_block_delta' ? [event.delta?.text] : [],
  );
  expect(pieces.length).toBeGreaterThan(1);
  expect(pieces.join('')).toBe('One, two, three, four, five.');
});

test('resume goes on with a session, forkSession in a copy', async () => {
  const place = newPlace();
  await using provider = await fakeProvider({ script: ['Hello, Ada.', 'Ada.', 'Ada still.'] });
  const options = optionsFor(place, provider);
  const first = await collect(query({ prompt: 'I am Ada.', options }));
  const id = first.find(isResult)?.session_id ?? '';
  const second = await collect(query({ prompt: 'Who am I?', options: { ...options, resume: id } }));
  expect(second.find(isResult)).toMatchObject({ session_id: id, result: 'Ada.' });
  expect(provider.received[1]?.messages).toHaveLength(3);
  const forked = { ...options, resume: id, forkSession: true };
  const third = await collect(query({ prompt: 'And now?', options: forked }));
  expect(third.find(isResult)?.result).toBe('Ada still.');
  expect(third.find(isResult)?.session_id).not.toBe(id);
});

test('options reach us: model, maxTurns, system prompt, allowed tools', async () => {
  const place = newPlace();
  await using provider = await fakeProvider({
    script: [together(say('So far.'), call('Bash', { command: 'echo hello' }))],
  });
  const options: SdkOptions = {
    ...optionsFor(place, provider),
    model: 'claude-some-model',
    maxTurns: 1,
    systemPrompt: 'You are a lighthouse.',
    allowedTools: ['Bash(echo *)'],
  };
  const messages = await collectFailing(query({ prompt: 'Go', options }));
  expect(provider.requests[0]?.json?.model).toBe('claude-some-model');
  expect(provider.received[0]?.system.join('\n')).toContain('You are a lighthouse.');
  expect(messages.some(({ subtype }) => subtype === 'error_max_turns')).toBe(true);
});

test('a refusing provider is an error result', async () => {
  const place = newPlace();
  const failure = failWith({ kind: 'invalid_request', message: 'too blue', status: 400 });
  await using provider = await fakeProvider({ script: [failure] });
  const messages = await collectFailing(query({ prompt: 'Hi', options: optionsFor(place, provider) }));
  expect(messages.find(isResult)).toMatchObject({ subtype: 'error_during_execution', is_error: true });
  expect(messages.find(isResult)?.errors?.join()).toContain('too blue');
});

test('a mistake in the options reaches the caller in words', async () => {
  const place = newPlace();
  await using provider = await fakeProvider({ script: [] });
  let errors = '';
  const options: SdkOptions = {
    ...optionsFor(place, provider),
    allowedTools: ['Bash('],
    stderr: (text) => {
      errors += text;
    },
  };
  const failed = collect(query({ prompt: 'Hi', options }));
  await expect(failed).rejects.toThrow();
  expect(errors).toContain('--allowedTools');
});

test('agents of the options are delegated to; their frames name the call that started them', async () => {
  const place = newPlace();
  await using provider = await cast(
    [delegate('poet'), say('Done.')],
    [together(say('I look.'), call('Glob', { pattern: '*' })), say('A rose.')],
  );
  const agents = { poet: { description: 'Writes verse.', prompt: 'You are a poet.' } };
  const messages = await collect(
    query({ prompt: 'Go', options: { ...optionsFor(place, provider), agents } }),
  );
  expect(messages.find(isInit)?.agents).toContain('poet');
  expect(provider.received[1]?.system.join('\n')).toContain('You are a poet.');
  const forwarded = messages.filter(({ parent_tool_use_id }) => parent_tool_use_id === 'toolu_1');
  expect(forwarded.map(blockTypes)).toEqual([['tool_use'], ['tool_result']]);
  const result = messages.find((one) => one.type === 'user' && one.parent_tool_use_id === null);
  expect(result?.tool_use_result).toMatchObject({ status: 'completed', agentType: 'poet' });
  expect(messages.find(isResult)).toMatchObject({ subtype: 'success', result: 'Done.' });
});

test('forwardSubagentText forwards what agents say', async () => {
  const place = newPlace();
  await using provider = await cast([delegate('Plan'), say('Done.')], [say('A rose.')]);
  const options = { ...optionsFor(place, provider), forwardSubagentText: true };
  const messages = await collect(query({ prompt: 'Go', options }));
  const forwarded = messages.filter(({ parent_tool_use_id }) => parent_tool_use_id === 'toolu_1');
  expect(forwarded.map(({ type }) => type)).toEqual(['user', 'assistant']);
});

test('stopTask() ends a background agent; the task is told of from start to end', async () => {
  const place = newPlace();
  await using provider = await cast(
    [delegate('Plan', true), say('Started.'), say('Stopped, I see.')],
    [hang(say('A'))],
  );
  const results = new Signal();
  async function* prompts(): AsyncGenerator<SdkPrompt> {
    yield prompt('Go');
    await results.reached(2);
  }
  const running: SdkQuery = query({ prompt: prompts(), options: optionsFor(place, provider) });
  let taskId = '';
  const messages = await collect(running, (message) => {
    if (message.subtype === 'task_started') taskId = message.task_id ?? '';
    if (!isResult(message)) return;
    results.count();
    if (message.result === 'Started.') void running.stopTask(taskId);
  });
  expect(messages.filter(isResult).map(({ result }) => result)).toEqual(['Started.', 'Stopped, I see.']);
  expect(messages.find(({ subtype }) => subtype === 'task_notification')).toMatchObject({
    task_id: taskId,
    tool_use_id: 'toolu_1',
    status: 'stopped',
  });
  const sets = messages.filter(({ subtype }) => subtype === 'background_tasks_changed');
  expect(sets.map(({ tasks }) => tasks?.length)).toEqual([1, 0]);
});

test('rewindFiles() puts files back to how they were at a prompt, getContextUsage() tells how full it is', async () => {
  const place = newPlace();
  const write = call('Write', { file_path: 'made.txt', content: 'one\n' });
  await using provider = await cast([write, say('Done.')], []);
  const results = new Signal();
  const uuid = crypto.randomUUID();
  async function* prompts(): AsyncGenerator<SdkPrompt> {
    yield { ...prompt('Go'), uuid };
    await results.reached(1);
  }
  const more = { permissionMode: 'acceptEdits', enableFileCheckpointing: true };
  const running: SdkQuery = query({
    prompt: prompts(),
    options: { ...optionsFor(place, provider), ...more },
  });
  const file = join(place.cwd, 'made.txt');
  const seen: unknown[] = [];
  for await (const message of running) {
    if (!isResult(message)) continue;
    seen.push(await running.rewindFiles(uuid, { dryRun: true }), existsSync(file));
    seen.push(await running.rewindFiles(uuid), existsSync(file));
    seen.push((await running.getContextUsage()).totalTokens > 0);
    results.count();
  }
  const report = { canRewind: true, filesChanged: [file], insertions: 0, deletions: 1 };
  expect(seen).toEqual([report, true, { ...report, skippedLinks: 0 }, false, true]);
});

test('backgroundTasks() lets the turn go on without its agent', async () => {
  const place = newPlace();
  const answer = Promise.withResolvers<void>();
  await using provider = await cast(
    [delegate('Plan'), say('It goes on behind.'), say('It is back.')],
    [() => answer.promise.then(() => say('A rose.'))],
  );
  const results = new Signal();
  async function* prompts(): AsyncGenerator<SdkPrompt> {
    yield prompt('Go');
    await results.reached(2);
  }
  const running: SdkQuery = query({ prompt: prompts(), options: optionsFor(place, provider) });
  let moved: Promise<boolean> | undefined;
  const messages = await collect(running, (message) => {
    if (message.subtype === 'task_started') moved = running.backgroundTasks('toolu_1');
    if (!isResult(message)) return;
    results.count();
    answer.resolve();
  });
  expect(await moved).toBe(true);
  expect(messages.filter(isResult).map(({ result }) => result)).toEqual([
    'It goes on behind.',
    'It is back.',
  ]);
});

test('with canUseTool a background agent can still ask after the first result of a single prompt', async () => {
  const place = newPlace();
  const answer = Promise.withResolvers<void>();
  await using provider = await cast(
    [delegate('general-purpose', true), say('Started.'), say('It is back.')],
    [() => answer.promise.then(() => write('a.txt', 'by the agent')), say('Written.')],
  );
  const asked: string[] = [];
  const options: SdkOptions = {
    ...optionsFor(place, provider),
    canUseTool: async (name, input) => {
      asked.push(name);
      return { behavior: 'allow', updatedInput: input };
    },
  };
  const messages = await collect(query({ prompt: 'Go', options }), (message) => {
    if (isResult(message)) answer.resolve();
  });
  expect(asked).toEqual(['Write']);
  expect(readFileSync(join(place.cwd, 'a.txt'), 'utf8')).toBe('by the agent');
  expect(messages.filter(isResult).map(({ result }) => result)).toEqual(['Started.', 'It is back.']);
  const states = messages.filter(({ subtype }) => subtype === 'session_state_changed');
  expect(states.map(({ state }) => state)).toEqual(['running', 'requires_action', 'running', 'idle']);
});

test('supportedAgents() lists those of the options beside the built-in ones', async () => {
  const place = newPlace();
  await using provider = await cast([say('Hi.')], []);
  const agents = { poet: { description: 'Writes verse.', prompt: 'You are a poet.' } };
  const running = query({ prompt: 'Go', options: { ...optionsFor(place, provider), agents } });
  const names = (await running.supportedAgents()).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['poet', 'Explore', 'Plan', 'general-purpose']));
  await collect(running);
});

/** The lead's turns, and for the agent that was told to write its own. */
function cast(lead: Turn[], agent: Turn[]): Promise<FakeProvider> {
  return fakeProvider({
    script: (request) => {
      const isAgent = JSON.stringify(request.messages[0]).includes('Write a line.');
      const turn = (isAgent ? agent : lead).shift() ?? say('Asked once too often.');
      return typeof turn === 'function' ? turn(request) : turn;
    },
  });
}

function delegate(type: string, background = false) {
  const input = { description: 'Write', prompt: 'Write a line.', subagent_type: type };
  return call('Agent', { ...input, ...(background ? { run_in_background: true } : {}) }, 'toolu_1');
}

function blockTypes({ message }: SdkMessage): string[] {
  return ((message?.content ?? []) as { type: string }[]).map(({ type }) => type);
}

const skipPermissions: SdkOptions = {
  permissionMode: 'bypassPermissions',
  allowDangerouslySkipPermissions: true,
};

function write(name: string, content: string) {
  return call('Write', { file_path: name, content });
}
