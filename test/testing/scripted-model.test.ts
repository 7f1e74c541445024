import { expect, test } from 'bun:test';
import type { Model, ModelEvent, ModelRequest } from '../../src/protocol/index.ts';
import {
  call,
  calls,
  expecting,
  failWith,
  hang,
  say,
  scriptedModel,
  think,
  together,
} from '../../src/testing/index.ts';

test('a scripted answer streams in pieces that add up to the whole message', async () => {
  const model = scriptedModel([
    together(
      think('Let me look at both files.'),
      say('I will read them now, both.'),
      call('Read', { file_path: '/a/b/c.txt' }),
    ),
  ]);
  const events = await collect(model, asking('go'));
  const deltas = events.flatMap((event) => (event.type === 'block_delta' ? [event.delta] : []));
  expect(deltas.flatMap((delta) => (delta.type === 'text' ? [delta.text] : []))).toEqual([
    'I will r',
    'ead them',
    ' now, bo',
    'th.',
  ]);
  const json = deltas.flatMap((delta) => (delta.type === 'tool_input' ? [delta.json] : [])).join('');
  expect(JSON.parse(json)).toEqual({ file_path: '/a/b/c.txt' });
  const last = events.at(-1);
  expect(last).toMatchObject({ type: 'response_ended', message: { stop_reason: 'tool_use' } });
  expect(last?.type === 'response_ended' && last.message.usage.output_tokens).toBeGreaterThan(10);
});

test('a request beyond the script fails as a value and is complained of', async () => {
  const model = scriptedModel(['only one']);
  await collect(model, asking('first'));
  const [failed] = await collect(model, asking('second'));
  expect(failed).toMatchObject({ type: 'response_failed', failure: { kind: 'invalid_request' } });
  expect(() => model.assertConsumed()).toThrow('request 2 was not expected: the script has 1 steps');
});

test('steps that were never asked for are listed', async () => {
  const model = scriptedModel([say('one'), call('Bash', { command: 'true' })]);
  await collect(model, asking('go'));
  expect(() => model.assertConsumed()).toThrow(/step 2 was never requested: .*Bash/);
});

test('a consumed script is content', async () => {
  const model = scriptedModel([calls([call('Read', {}), call('Read', {})]), 'done']);
  const [first] = (await collect(model, asking('go'))).slice(-1);
  const ids =
    first?.type === 'response_ended'
      ? first.message.content.map((b) => (b.type === 'tool_use' ? b.id : ''))
      : [];
  expect(new Set(ids).size).toBe(2);
  await collect(model, asking('go on'));
  model.assertConsumed();
});

test('an unexpected request text is shown beside the expected one', async () => {
  const model = scriptedModel([expecting({ userText: 'fix the test' }, say('ok'))]);
  const [failed] = await collect(model, asking('write a poem'));
  expect(failed?.type === 'response_failed' && failed.failure.message).toBe(
    'scripted/model, step 1: the last user text differs\n  + expected: fix the test\n  -   actual: write a poem',
  );
  expect(model.complaints).toHaveLength(1);
});

test('tool results can be expected', async () => {
  const model = scriptedModel([expecting({ toolResult: /7 passed/, isError: false }, say('ok'))]);
  const request = asking('');
  const content = [{ type: 'text' as const, text: '7 passed' }];
  await collect(model, {
    ...request,
    messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'x', content }] }],
  });
  model.assertConsumed();
});

test('a turn can be a function of the request', async () => {
  const model = scriptedModel((request) => say(`${request.messages.length} messages`));
  const events = await collect(model, asking('a'));
  expect(events.at(-1)).toMatchObject({ message: { content: [{ text: '1 messages' }] } });
});

test('a failure is a value', async () => {
  const failure = { kind: 'overloaded' as const, message: 'busy', status: 529 };
  expect(await collect(scriptedModel([failWith(failure)]), asking('a'))).toEqual([
    { type: 'response_failed', failure },
  ]);
});

test('a hanging answer ends when it is aborted', async () => {
  const model = scriptedModel([hang(say('wait for'))]);
  const controller = new AbortController();
  const types: string[] = [];
  for await (const event of model.stream(asking('a'), controller.signal)) {
    types.push(event.type);
    if (event.type === 'block_ended') controller.abort();
  }
  expect(types).toEqual([
    'response_started',
    'block_started',
    'block_delta',
    'block_ended',
    'response_failed',
  ]);
});

test('a turn that is still being decided gives way to an abort', async () => {
  const model = scriptedModel([() => new Promise<string>(() => {})]);
  const controller = new AbortController();
  const events = collect(model, asking('a'), controller.signal);
  controller.abort();
  expect(await events).toMatchObject([{ type: 'response_failed', failure: { kind: 'aborted' } }]);
});

test('recorded requests keep the messages as they were asked', async () => {
  const model = scriptedModel(['a']);
  const request = asking('first');
  await collect(model, request);
  (request.messages as unknown[]).push('later');
  expect(model.requests[0]?.messages).toHaveLength(1);
});

function asking(text: string): ModelRequest {
  return {
    system: ['You are a test.'],
    tools: [],
    messages: [{ role: 'user', content: [{ type: 'text', text }] }],
    maxOutputTokens: 1000,
    thinking: { type: 'off' },
  };
}

async function collect(model: Model, request: ModelRequest, signal = new AbortController().signal) {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(request, signal)) events.push(event);
  return events;
}
