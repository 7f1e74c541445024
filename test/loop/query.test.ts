import { expect, test } from 'bun:test';
import { type Model, textOf, textResult } from '../../src/protocol/index.ts';
import {
  type AnswerTurn,
  call,
  calls,
  failWith,
  hang,
  refuse,
  say,
  together,
} from '../../src/testing/index.ts';
import { play, resultsOf, stage, testTool } from './support.ts';

test('a run takes the prompt, asks the model and completes with its answer', async () => {
  const { agent, model, prompt } = stage([say('Hello.')]);
  prompt('Hi');
  const { outcome, events } = await play(agent);
  expect(outcome).toMatchObject({ kind: 'completed', text: 'Hello.', turns: 1 });
  expect(events.filter((event) => event.type === 'message_added').map((event) => event.record.type)).toEqual([
    'user',
    'assistant',
  ]);
  model.assertConsumed();
});

test('tool results go back to the model until it calls no more tools', async () => {
  const { agent, model, prompt } = stage(
    [call('Echo', { text: 'one' }), call('Echo', { text: 'two' }), say('Done.')],
    {
      tools: [testTool('Echo')],
    },
  );
  prompt('Go');
  const { outcome, events } = await play(agent);
  expect(outcome).toMatchObject({ kind: 'completed', turns: 3 });
  expect(resultsOf(events).map((result) => result.text)).toEqual(['one', 'two']);
  model.assertConsumed();
});

test('records form one chain by parentUuid', async () => {
  const { agent, prompt } = stage(
    [calls([call('Echo', { text: 'a' }), call('Echo', { text: 'b' })]), say('Done.')],
    {
      tools: [testTool('Echo')],
    },
  );
  prompt('Go');
  const records = (await play(agent)).events.flatMap((event) =>
    event.type === 'message_added' ? [event.record] : [],
  );
  expect(records.map((record) => record.parentUuid)).toEqual([
    null,
    ...records.slice(0, -1).map((record) => record.uuid),
  ]);
});

test('results of parallel calls and steering text reach the model as one user message', async () => {
  const { agent, model, prompt } = stage(
    [calls([call('Echo', { text: 'a' }), call('Echo', { text: 'b' })]), say('Done.')],
    {
      tools: [testTool('Echo')],
    },
  );
  prompt('Go');
  await play(agent, (event) => {
    if (event.type === 'tool_started' && event.summary === 'a') prompt('Hurry', 'steer');
  });
  const last = model.requests[1]?.messages.at(-1);
  expect(last?.content.map((block) => block.type)).toEqual(['tool_result', 'tool_result', 'text']);
});

test('a prompt that is queued does not join the run under way', async () => {
  const { agent, prompt } = stage([say('First.'), say('Second.')]);
  prompt('One');
  prompt('Two');
  expect((await play(agent)).outcome.text).toBe('First.');
  expect((await play(agent)).outcome.text).toBe('Second.');
});

test('G3 steering that comes with the last answer starts another turn, and the answer is not lost', async () => {
  const { agent, prompt } = stage([say('First.'), say('Second.')]);
  prompt('One');
  const { outcome } = await play(agent, (event) => {
    if (event.type === 'turn_started' && event.turn === 1) prompt('And this', 'steer');
  });
  expect(outcome).toMatchObject({ text: 'First.\n\nSecond.', turns: 2 });
});

test('TM12 a letter that is no reason to run does not keep a run going: it waits for the next one', async () => {
  const { agent, prompt } = stage([say('First.'), say('Second.')]);
  prompt('One');
  const quiet = { delivery: 'steer', origin: { kind: 'mail', from: 'bob', id: 'a' }, isQuiet: true } as const;
  const first = await play(agent, (event) => {
    if (event.type === 'turn_started')
      agent.inbox.post({ ...quiet, content: [{ type: 'text', text: 'Bob is idle.' }] });
  });
  expect(first.outcome).toMatchObject({ text: 'First.', turns: 1 });
  prompt('Two');
  await play(agent);
  expect(JSON.stringify(agent.conversation.records)).toContain('Bob is idle.');
});

test('G3 the turn limit is an outcome with what was said so far', async () => {
  const { agent, prompt } = stage(
    [together(say('Looking.'), call('Echo', { text: 'x' })), call('Echo', { text: 'y' })],
    {
      tools: [testTool('Echo')],
      limits: { maxTurns: 2 },
    },
  );
  prompt('Go');
  expect((await play(agent)).outcome).toMatchObject({
    kind: 'out_of_turns',
    text: 'Looking.',
    turns: 2,
    reason: 'Stopped after 2 turns (limit: --max-turns).',
  });
});

test('G3 an answer cut off at the output limit is truncated, not completed', async () => {
  const { agent, prompt } = stage([{ ...say('Half an ans'), stopReason: 'max_tokens' }]);
  prompt('Go');
  expect((await play(agent)).outcome).toMatchObject({ kind: 'truncated', text: 'Half an ans' });
});

test.each([
  ['empty', { blocks: [] }, 'empty answer'],
  ['blank', say('  \n'), 'empty answer'],
  ['refused', refuse('No.'), 'refused'],
] as [string, AnswerTurn, string][])('G3 a run whose answer is %s has failed', async (_, turn, reason) => {
  const { agent, prompt } = stage([turn]);
  prompt('Go');
  const { outcome } = await play(agent);
  expect(outcome.kind).toBe('failed');
  expect(outcome.reason).toContain(reason);
});

test('a failed request ends the run as a value', async () => {
  const { agent, prompt } = stage([
    failWith({ kind: 'authentication', message: 'The key was refused.', status: 401 }),
  ]);
  prompt('Go');
  expect((await play(agent)).outcome).toMatchObject({
    kind: 'failed',
    reason: 'The key was refused.',
    failure: { status: 401 },
  });
});

test('an interrupt in mid-answer keeps the text and ends the run', async () => {
  const { agent, controller, prompt } = stage([hang(say('I was about to'))]);
  prompt('Go');
  const { outcome, events } = await play(agent, (event) => {
    if (event.type === 'model_streamed' && event.event.type === 'block_ended') controller.abort();
  });
  expect(outcome).toMatchObject({ kind: 'interrupted', text: 'I was about to' });
  expect(events.at(-1)).toMatchObject({
    type: 'message_added',
    record: { message: { content: [{ text: 'I was about to' }] } },
  });
});

test('an interrupt during a tool gives every call of the message a result', async () => {
  const { agent, controller, prompt } = stage(
    [calls([call('Slow', { text: 'a' }, 'c1'), call('Slow', { text: 'b' }, 'c2')])],
    {
      tools: [
        testTool('Slow', {
          concurrent: false,
          run: async (text) => {
            controller.abort();
            return { content: [{ type: 'text', text: `${text} was cut` }], isError: true };
          },
        }),
      ],
    },
  );
  prompt('Go');
  const { outcome, events } = await play(agent);
  expect(outcome.kind).toBe('interrupted');
  expect(resultsOf(events)).toEqual([
    { id: 'c1', text: 'a was cut', isError: true },
    { id: 'c2', text: 'Not run: the turn was interrupted.', isError: true },
  ]);
});

test('what came during a tool that was interrupted waits for the next run, which reads it once', async () => {
  const { agent, model, controller, prompt } = stage([call('Slow', { text: 'a' }), say('Answered.')], {
    tools: [
      testTool('Slow', {
        run: async () => {
          prompt('And this', 'steer');
          controller.abort();
          return { content: [{ type: 'text', text: 'cut' }], isError: true };
        },
      }),
    ],
  });
  prompt('Go');
  expect((await play(agent)).outcome.kind).toBe('interrupted');
  expect(agent.inbox.isEmpty()).toBe(false);
  const { outcome } = await play({ ...agent, signal: new AbortController().signal });
  expect(outcome).toMatchObject({ kind: 'completed', text: 'Answered.' });
  expect(JSON.stringify(model.requests.at(-1)).split('And this')).toHaveLength(2);
});

test('an interrupt while a hook looks at a steering prompt leaves that prompt, and those behind it, in their order', async () => {
  const { agent, controller, prompt } = stage([call('Slow', { text: 'a' })], {
    tools: [
      testTool('Slow', {
        run: async () => {
          prompt('First', 'steer');
          prompt('Second', 'steer');
          return textResult('done');
        },
      }),
    ],
  });
  prompt('Go');
  const hooks = {
    promptSubmitted: async (text: string) => {
      if (text === 'First') controller.abort();
      return { notes: [] };
    },
  };
  expect((await play({ ...agent, hooks })).outcome.kind).toBe('interrupted');
  expect(agent.inbox.takeSteering().map(({ content }) => textOf(content))).toEqual(['First', 'Second']);
});

test('P1 each request begins with the very messages of the one before', async () => {
  const { agent, model, prompt } = stage(
    [call('Echo', { text: 'one' }), call('Echo', { text: 'two' }), say('Done.')],
    {
      tools: [testTool('Echo')],
    },
  );
  prompt('Go');
  await play(agent);
  const [first, second, third] = model.requests.map((request) =>
    JSON.stringify(request.messages).slice(0, -1),
  );
  expect(second?.startsWith(first ?? '?')).toBe(true);
  expect(third?.startsWith(second ?? '?')).toBe(true);
});

test('R12 an answer that breaks in its middle is asked for again, and nothing of it stays', async () => {
  const broken = failWith({
    kind: 'malformed',
    message: 'The input of the tool call Echo is not a JSON object.',
  });
  const { agent, model, prompt } = stage([broken, broken, say('Whole.')]);
  prompt('Go');
  const { outcome, events } = await play(agent);
  expect(outcome).toMatchObject({ kind: 'completed', text: 'Whole.', turns: 1 });
  expect(events.filter((event) => event.type === 'request_retried')).toHaveLength(2);
  expect(events.filter((event) => event.type === 'message_added')).toHaveLength(2);
  model.assertConsumed();
});

test('R12 an answer that keeps breaking ends the run', async () => {
  const broken = failWith({ kind: 'malformed', message: 'Not JSON.' });
  const { agent, prompt } = stage([broken, broken, broken]);
  prompt('Go');
  expect((await play(agent)).outcome).toMatchObject({ kind: 'failed', reason: 'Not JSON.' });
});

test('R12 an invalid input is told to the model in one request, and the call is not run', async () => {
  let runs = 0;
  const run = async () => textResult(String(runs++));
  const tool = testTool('Echo', { run });
  const invalid = call('Echo', {}, 'c1');
  const block = {
    type: 'tool_use' as const,
    id: 'c1',
    name: 'Echo',
    input: {},
    invalidInput: '{"text": "ha',
  };
  const { agent, model, prompt } = stage([invalid, say('Sorry.')], { tools: [tool] });
  prompt('Go');
  const marked: Model = {
    ...agent.model,
    async *stream(request, signal) {
      for await (const event of agent.model.stream(request, signal)) {
        if (event.type !== 'response_ended' || event.message.stop_reason !== 'tool_use') yield event;
        else yield { type: 'response_ended', message: { ...event.message, content: [block] } };
      }
    },
  };
  const { outcome } = await play({ ...agent, model: marked });
  expect(outcome).toMatchObject({ kind: 'completed', text: 'Sorry.' });
  expect(runs).toBe(0);
  expect(model.requests).toHaveLength(2);
  expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain('is not a JSON object');
  expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain('It began with: {');
});

test('a call with the id of an earlier one gets its own', async () => {
  const { agent, model, prompt } = stage(
    [call('Echo', { text: 'one' }, 'call_0'), call('Echo', { text: 'two' }, 'call_0'), say('Done.')],
    { tools: [testTool('Echo')] },
  );
  prompt('Go');
  await play(agent);
  const sent = model.requests.at(-1)?.messages ?? [];
  const ids = sent.flatMap(({ content }) =>
    content.flatMap((block) =>
      block.type === 'tool_use' ? [block.id] : block.type === 'tool_result' ? [block.tool_use_id] : [],
    ),
  );
  expect(ids).toEqual(['call_0', 'call_0', 'call_0_2', 'call_0_2']);
});

const refusedParts: [what: string, message: string, left: string[]][] = [
  ['by its place', 'tools.1.custom.input_schema: JSON schema is invalid.', ['Echo']],
  ['by its name', "Invalid schema for function 'Bad': schema must be an object.", ['Echo']],
  [
    'by its declaration',
    'GenerateContentRequest.tools[0].function_declarations[1].parameters: bad',
    ['Echo'],
  ],
];
for (const [how, message, left] of refusedParts)
  test(`a tool whose schema a provider refuses ${how} is left out, and the user is told`, async () => {
    const refused = failWith({ kind: 'invalid_request', message, status: 400 });
    const { agent, model, prompt } = stage([refused, say('Fine.')], {
      tools: [testTool('Echo'), testTool('Bad')],
    });
    prompt('Go');
    const { outcome, events } = await play(agent);
    expect(outcome).toMatchObject({ kind: 'completed', text: 'Fine.' });
    expect(model.requests[1]?.tools.map(({ name }) => name)).toEqual(left);
    expect(events.filter((event) => event.type === 'notice_given')).toMatchObject([
      { level: 'warning', text: expect.stringContaining('refused the tool Bad') },
    ]);
  });

test('an image that a provider cannot process is replaced by a note, also for later requests', async () => {
  const message = 'messages.0.content.1.image.source.base64.data: Could not process image.';
  const { agent, model } = stage([failWith({ kind: 'invalid_request', message, status: 400 }), say('Fine.')]);
  const source = { type: 'base64' as const, media_type: 'image/png' as const, data: 'bm90IGFuIGltYWdl' };
  const content = [
    { type: 'text' as const, text: 'Look' },
    { type: 'image' as const, source },
  ];
  agent.inbox.post({ delivery: 'queue', content, origin: { kind: 'human' } });
  const { outcome, events } = await play(agent);
  expect(outcome).toMatchObject({ kind: 'completed' });
  expect(JSON.stringify(model.requests[1]?.messages)).toContain('It was removed');
  expect(JSON.stringify(model.requests[1]?.messages)).not.toContain(source.data);
  expect(JSON.stringify(agent.conversation.records)).toContain(source.data);
  expect(events.filter((event) => event.type === 'notice_given')).toHaveLength(1);
});

test('a refusal that names no part of the request ends the run, after one request', async () => {
  const refused = failWith({ kind: 'invalid_request', message: 'max_tokens: too large', status: 400 });
  const { agent, model, prompt } = stage([refused], { tools: [testTool('Echo')] });
  prompt('Go');
  expect((await play(agent)).outcome).toMatchObject({ kind: 'failed', reason: 'max_tokens: too large' });
  model.assertConsumed();
});

test('G3 an empty turn after a complete answer does not make the run fail', async () => {
  const { agent, prompt } = stage([say('First.'), say('')]);
  prompt('One');
  const { outcome } = await play(agent, (event) => {
    if (event.type === 'turn_started' && event.turn === 1) prompt('By the way', 'steer');
  });
  expect(outcome).toMatchObject({ kind: 'completed', text: 'First.', turns: 2 });
});
