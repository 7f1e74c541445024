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
  say,
  together,
  toolResultText,
} from '../../src/testing/index.ts';
import { environmentOf, newPlace, type Place, program, until } from '../cli/support.ts';
import {
  type AgentSdk,
  collect,
  collectFailing,
  isInit,
  isResult,
  type SdkOptions,
  type SdkPrompt,
  type SdkQuery,
  Signal,
} from './support.ts';

const { query }: AgentSdk = await import(process.env.CADRE_AGENT_SDK ?? '@anthropic-ai/claude-agent-sdk');

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

const skipPermissions: SdkOptions = {
  permissionMode: 'bypassPermissions',
  allowDangerouslySkipPermissions: true,
};

function optionsFor(place: Place, provider: FakeProvider): SdkOptions {
  return {
    pathToClaudeCodeExecutable: program,
    cwd: place.cwd,
    env: environmentOf({ place, provider }),
  };
}

function write(name: string, content: string) {
  return call('Write', { file_path: name, content });
}

function prompt(content: string): SdkPrompt {
  return { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, session_id: '' };
}
