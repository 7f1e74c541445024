import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { serveHost } from '../../src/headless/host/serve-host.ts';
import { runPrompt } from '../../src/headless/run-prompt.ts';
import { manualClock } from '../../src/lib/clock.ts';
import type { ModelRequest } from '../../src/protocol/index.ts';
import { call, hang, say, type Turn, think, together } from '../../src/testing/index.ts';
import { control, noInterrupts, type Pipe, pipe, request, user } from './support.ts';

type Frame = Record<string, unknown>;

/** The lead and one agent, each with a script of its own; which agent asks is in the request. */
function cast(lead: Turn[], agent: Turn[]): Turn[] {
  const next = (asked: ModelRequest) => {
    const turn = (asked.asker?.agentId == null ? lead : agent).shift();
    if (turn === undefined) throw new Error('asked once too often');
    return typeof turn === 'function' ? turn(asked) : turn;
  };
  return Array.from({ length: lead.length + agent.length }, () => next);
}

const delegate = (more: object = {}, id = 'toolu_1') =>
  call('Agent', { description: 'Look around', prompt: 'Look.', subagent_type: 'Plan', ...more }, id);
const looking = () => [
  together(think('Where?'), say('I look.'), call('Glob', { pattern: '*' }, 'toolu_9')),
  say('Nothing there.'),
];
const stream = { outputFormat: 'stream-json' } as const;
const host = { inputFormat: 'stream-json', outputFormat: 'stream-json' } as const;
const ofAgent = (frame: Frame) => frame.parent_tool_use_id === 'toolu_1';
const of = (subtype: string) => (frame: Frame) => frame.subtype === subtype;
const blocks = (frames: Frame[]) =>
  frames.flatMap((frame) =>
    (frame.message as { content: { type: string }[] }).content.map(({ type }) => type),
  );
const answersTo = (id: string) => (frame: Frame) =>
  frame.type === 'control_response' && (frame.response as { request_id: string }).request_id === id;

async function run(
  turns: Turn[],
  more: Parameters<typeof request>[1] = {},
): Promise<Pipe & { code: number }> {
  const piped = pipe('none');
  const code = await runPrompt(request(turns, { prompt: 'Go', ...stream, ...more }), piped.io, noInterrupts);
  return { ...piped, code };
}

test('of an agent only tool calls and results are forwarded, with the call that started it', async () => {
  const { frames } = await run(cast([delegate(), say('Done.')], looking()));
  const forwarded = frames().filter(ofAgent);
  expect(blocks(forwarded)).toEqual(['tool_use', 'tool_result']);
  expect(forwarded[0]).toMatchObject({
    type: 'assistant',
    subagent_type: 'Plan',
    task_description: 'Look around',
    agent_id: expect.stringMatching(/^a/),
  });
});

test('--forward-subagent-text forwards all that an agent is told, thinks and says, and its stream', async () => {
  const { frames } = await run(cast([delegate(), say('Done.')], looking()), {
    forwardSubagentText: true,
    includePartialMessages: true,
  });
  const forwarded = frames().filter(ofAgent);
  const messages = forwarded.filter((frame) => frame.type !== 'stream_event');
  expect(blocks(messages)).toEqual(['text', 'thinking', 'text', 'tool_use', 'tool_result', 'text']);
  expect(forwarded.some((frame) => frame.type === 'stream_event')).toBe(true);
});

test('partial messages are the lead’s alone unless its agents are forwarded', async () => {
  const { frames } = await run(cast([delegate(), say('Done.')], looking()), { includePartialMessages: true });
  expect(frames().filter((frame) => frame.type === 'stream_event' && ofAgent(frame))).toEqual([]);
});

test('runs of agents make neither init nor result', async () => {
  const { frames } = await run(cast([delegate(), say('Done.')], looking()));
  expect(frames().filter(of('init'))).toHaveLength(1);
  expect(frames().filter((frame) => frame.type === 'result')).toMatchObject([{ result: 'Done.' }]);
});

test('init names the agents', async () => {
  const { frames } = await run([say('Hi.')], {
    session: { agentsFlag: '{"reviewer":{"description":"Reviews.","prompt":"Review."}}' },
  });
  expect(frames().find(of('init'))?.agents).toEqual(expect.arrayContaining(['reviewer', 'Explore', 'Plan']));
});

test('what an agent is denied is in the permission_denials of the result', async () => {
  const { frames } = await run(
    cast(
      [call('Agent', { description: 'Try', prompt: 'Try it.' }, 'toolu_1'), say('Done.')],
      [call('Bash', { command: 'rm x' }, 'toolu_9'), say('I may not.')],
    ),
  );
  expect(frames().find((frame) => frame.type === 'result')?.permission_denials).toMatchObject([
    { tool_name: 'Bash', tool_use_id: 'toolu_9', tool_input: { command: 'rm x' } },
  ]);
});

test('a foreground agent is told of from its start over its progress to its end', async () => {
  const { frames } = await run(cast([delegate(), say('Done.')], looking()));
  const tasks = frames().filter((frame) => String(frame.subtype).startsWith('task_'));
  const started = tasks[0] ?? {};
  expect(started).toMatchObject({
    subtype: 'task_started',
    tool_use_id: 'toolu_1',
    description: 'Look around',
    subagent_type: 'Plan',
    task_type: 'local_agent',
    is_backgrounded: false,
    spawn_depth: 1,
    prompt: 'Look.',
  });
  expect(started).not.toHaveProperty('parent_task_id');
  expect(tasks.every((frame) => frame.task_id === started.task_id && frame.run_id === started.run_id)).toBe(
    true,
  );
  expect(tasks.filter(of('task_progress')).at(-1)).toMatchObject({
    last_tool_name: 'Glob',
    summary: expect.stringContaining('Glob'),
    usage: { tool_uses: 1, total_tokens: expect.any(Number), duration_ms: expect.any(Number) },
  });
  expect(tasks.filter(of('task_updated')).map((frame) => (frame.patch as Frame).status)).toEqual([
    'running',
    'completed',
  ]);
  expect(tasks.at(-1)).toMatchObject({
    subtype: 'task_notification',
    status: 'completed',
    summary: 'Agent "Look around" completed',
    output_file: expect.stringContaining(String(started.task_id)),
    usage: { tool_uses: 1 },
  });
  expect(frames().filter(of('background_tasks_changed'))).toEqual([]);
});

test('the result of the Agent tool has usage, tools and counts by kind', async () => {
  const { frames } = await run(cast([delegate(), say('Done.')], looking()));
  const result = frames().find((frame) => frame.type === 'user' && frame.parent_tool_use_id === null);
  expect(result?.tool_use_result).toMatchObject({
    status: 'completed',
    agentType: 'Plan',
    toolsUsed: ['Glob'],
    toolStats: { readCount: 0, searchCount: 1, editFileCount: 0, linesAdded: 0 },
    usage: { output_tokens: expect.any(Number), server_tool_use: null },
  });
});

test('a background agent keeps the session running until its end was told, and is in the set meanwhile', async () => {
  const { io, write, end, frame, frames } = pipe();
  const release = Promise.withResolvers<void>();
  const turns = cast(
    [delegate({ run_in_background: true }), say('Started.'), say('It is back.')],
    [() => release.promise.then(() => say('Nothing there.'))],
  );
  const served = serveHost(request(turns, host), io, noInterrupts);
  write(user('Go'));
  await frame((one) => one.type === 'result');
  expect(
    frames()
      .filter(of('session_state_changed'))
      .map((one) => one.state),
  ).toEqual(['running']);
  release.resolve();
  await frame((one) => one.result === 'It is back.');
  end();
  expect(await served).toBe(0);
  expect(
    frames()
      .filter(of('session_state_changed'))
      .map((one) => one.state),
  ).toEqual(['running', 'idle']);
  const sets = frames().filter(of('background_tasks_changed'));
  expect(sets.map((one) => (one.tasks as Frame[]).map((task) => task.subagent_type))).toEqual([['Plan'], []]);
});

test('stop_task ends a background agent, also by its name; the notification says stopped', async () => {
  const { io, write, end, frame } = pipe();
  const turns = cast(
    [delegate({ run_in_background: true, name: 'scout' }), say('Started.'), say('Stopped, I see.')],
    [() => new Promise(() => {})],
  );
  const served = serveHost(request(turns, host), io, noInterrupts);
  write(user('Go'));
  await frame((one) => one.type === 'result');
  write(control('1', 'stop_task', { task_id: 'scout' }));
  expect(await frame(answersTo('1'))).toMatchObject({ response: { subtype: 'success' } });
  expect(await frame(of('task_notification'))).toMatchObject({ status: 'stopped' });
  write(control('2', 'stop_task', { task_id: 'nobody' }));
  expect(await frame(answersTo('2'))).toMatchObject({ response: { subtype: 'error' } });
  write(control('3', 'stop_task'));
  expect(await frame(answersTo('3'))).toMatchObject({ response: { subtype: 'error' } });
  await frame((one) => one.result === 'Stopped, I see.');
  end();
  await served;
});

test('background_tasks lets the call go on without its agent, and says whether it did', async () => {
  const { io, write, end, frame } = pipe();
  const release = Promise.withResolvers<void>();
  const turns = cast(
    [delegate(), say('It goes on behind.'), say('It is back.')],
    [() => release.promise.then(() => say('Nothing there.'))],
  );
  const served = serveHost(request(turns, host), io, noInterrupts);
  write(user('Go'));
  await frame(of('task_started'));
  write(control('1', 'background_tasks', { tool_use_id: 'toolu_none' }));
  expect(await frame(answersTo('1'))).toMatchObject({ response: { response: { backgrounded: false } } });
  write(control('2', 'background_tasks', { tool_use_id: 'toolu_1' }));
  expect(await frame(answersTo('2'))).toMatchObject({ response: { response: { backgrounded: true } } });
  expect(
    await frame((one) => of('task_updated')(one) && 'is_backgrounded' in (one.patch as Frame)),
  ).toMatchObject({
    patch: { is_backgrounded: true },
  });
  await frame((one) => one.result === 'It goes on behind.');
  release.resolve();
  await frame((one) => one.result === 'It is back.');
  end();
  expect(await served).toBe(0);
});

test('background_tasks lets the call go on without its command', async () => {
  const { io, write, end, frame } = pipe();
  const turns = [
    call('Bash', { command: 'touch begun; sleep 600' }, 'toolu_1'),
    say('It goes on behind.'),
    say('It is back.'),
  ];
  const asked = request(turns, { ...host, session: { allowedTools: ['Bash'] } });
  const served = serveHost(asked, io, noInterrupts);
  write(user('Go'));
  while (!existsSync(join(asked.session.cwd ?? '', 'begun'))) await Bun.sleep(5);
  write(control('1', 'background_tasks', { tool_use_id: 'toolu_1' }));
  expect(await frame(answersTo('1'))).toMatchObject({ response: { response: { backgrounded: true } } });
  const { task_id } = await frame(of('task_started'));
  expect(JSON.stringify(await frame(({ type }) => type === 'user'))).toContain(`task ${task_id}`);
  await frame((one) => one.result === 'It goes on behind.');
  write(control('stop', 'stop_task', { task_id }));
  await frame((one) => one.result === 'It is back.');
  end();
  expect(await served).toBe(0);
});

test('background_tasks is refused where background work is switched off', async () => {
  const { io, write, end, frame } = pipe();
  const turns = cast([delegate(), say('Done.')], looking());
  const served = serveHost(
    request(turns, { ...host, session: { agentLimits: { background: false } } }),
    io,
    noInterrupts,
  );
  write(control('1', 'background_tasks'));
  expect(await frame(answersTo('1'))).toMatchObject({ response: { subtype: 'error' } });
  end();
  await served;
});

test('get_task_output gives what an agent has said so far', async () => {
  const { io, write, end, frame, frames } = pipe();
  const served = serveHost(request(cast([delegate(), say('Done.')], looking()), host), io, noInterrupts);
  write(user('Go'));
  await frame((one) => one.type === 'result');
  const taskId = frames().find(of('task_started'))?.task_id;
  write(control('1', 'get_task_output', { task_id: taskId }));
  const { response } = (await frame(answersTo('1'))).response as { response: Frame };
  expect(response.output).toContain('Nothing there.');
  expect(response).toMatchObject({ truncated: false, total_bytes: expect.any(Number) });
  write(control('2', 'get_task_output', { task_id: 'a0' }));
  expect(await frame(answersTo('2'))).toMatchObject({ response: { subtype: 'error' } });
  end();
  await served;
});

test('agents of initialize are there, and forwardSubagentText of it counts', async () => {
  const { io, write, end, frame, frames } = pipe();
  const turns = cast([delegate({ subagent_type: 'poet' }), say('Done.')], [say('A rose.')]);
  const wanted = request(turns, host);
  const agents = { poet: { description: 'Writes.', prompt: 'You are a poet.' } };
  write(control('1', 'initialize', { agents, forwardSubagentText: true }));
  write(user('Go'));
  const served = serveHost(wanted, io, noInterrupts);
  const { response } = (await frame(answersTo('1'))).response as { response: { agents: Frame[] } };
  expect(response.agents).toContainEqual({ name: 'poet', description: 'Writes.' });
  await frame((one) => one.type === 'result');
  end();
  expect(await served).toBe(0);
  expect(blocks(frames().filter(ofAgent))).toEqual(['text', 'text']);
  expect(wanted.model.requests[1]?.system.join('\n')).toContain('You are a poet.');
});

test('an agent of initialize that is none is refused by name', async () => {
  const { io, write, end, err, frames } = pipe();
  write(control('1', 'initialize', { agents: { poet: { prompt: 'You are a poet.' } } }));
  end();
  expect(await serveHost(request([], host), io, noInterrupts)).toBe(2);
  expect(err()).toContain('"poet"');
  expect(frames().find(answersTo('1'))).toMatchObject({ response: { subtype: 'error' } });
});

test('a second initialize is sent the set of background tasks, also an empty one', async () => {
  const { io, write, end, frames } = pipe();
  write(control('1', 'initialize'));
  write(control('2', 'initialize'));
  end();
  expect(await serveHost(request([], host), io, noInterrupts)).toBe(0);
  expect(frames().filter(of('background_tasks_changed'))).toMatchObject([{ tasks: [] }]);
});

test('an interrupt leaves background agents at work', async () => {
  const { io, write, end, frame } = pipe();
  const release = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const thinks = () => {
    asked.resolve();
    return hang();
  };
  const turns = cast(
    [delegate({ run_in_background: true }), thinks, say('It is back.')],
    [() => release.promise.then(() => say('Nothing there.'))],
  );
  const served = serveHost(request(turns, host), io, noInterrupts);
  write(user('Go'));
  await asked.promise;
  write(control('1', 'interrupt'));
  expect(await frame((one) => one.type === 'result')).toMatchObject({ outcome: 'interrupted' });
  release.resolve();
  expect(await frame((one) => one.result === 'It is back.')).toMatchObject({ subtype: 'success' });
  end();
  await served;
});

test('-p waits for background agents, says for whom, and prints what came of them', async () => {
  const piped = pipe('none');
  const release = Promise.withResolvers<void>();
  const turns = cast(
    [delegate({ run_in_background: true }), say('Started.'), say('It is back.')],
    [() => release.promise.then(() => say('Nothing there.'))],
  );
  const ended = runPrompt(request(turns, { prompt: 'Go' }), piped.io, noInterrupts);
  await waits(piped);
  release.resolve();
  expect(await ended).toBe(0);
  expect(piped.out()).toBe('Started.\n\nIt is back.\n');
  expect(piped.err()).toMatch(
    /^cadre: waiting for one background agent, until it makes no progress for 600 s: Plan "Look around" \(a\w+\)\n$/,
  );
});

async function waits({ err }: Pipe): Promise<void> {
  while (!err().includes('waiting')) await Bun.sleep(5);
}

test('-p gives up at the limit, says so, and ends the agent', async () => {
  const clock = manualClock();
  const piped = pipe('none');
  const turns = cast([delegate({ run_in_background: true }), say('Started.')], [() => new Promise(() => {})]);
  const wanted = request(turns, { prompt: 'Go', clock });
  const environment = { ...wanted.session.environment, CADRE_PRINT_BG_WAIT_MS: '2000' };
  const session = { ...wanted.session, environment };
  const ended = runPrompt({ ...wanted, session }, piped.io, noInterrupts);
  await waits(piped);
  expect(piped.err()).toContain('no progress for 2 s');
  clock.advance(2_000);
  expect(await ended).toBe(124);
  expect(piped.out()).toBe('Started.\n');
  expect(piped.err()).toContain('did not finish: no progress for 2 s. Stopped: Plan "Look around"');
  expect(piped.err()).toContain('CADRE_PRINT_BG_WAIT_MS');
});

test('an interrupt ends the wait for background agents', async () => {
  const piped = pipe('none');
  const interrupt = new AbortController();
  const turns = cast([delegate({ run_in_background: true }), say('Started.')], [() => new Promise(() => {})]);
  const interrupts = { ...noInterrupts, exitCode: () => 130, signal: interrupt.signal };
  const ended = runPrompt(request(turns, { prompt: 'Go' }), piped.io, interrupts);
  await waits(piped);
  interrupt.abort();
  expect(await ended).toBe(130);
});

test('agents are told of on standard error, one line at start and end, where that is a terminal or with --verbose', async () => {
  for (const how of ['terminal', 'verbose', 'neither'] as const) {
    const { io, err } = pipe('none');
    const wanted = request(cast([delegate(), say('Done.')], looking()), {
      prompt: 'Go',
      verbose: how === 'verbose',
    });
    await runPrompt(wanted, { ...io, errorIsTerminal: how === 'terminal' }, noInterrupts);
    if (how === 'neither') expect(err()).toBe('');
    else
      expect(err()).toMatch(
        /^cadre: agent Plan "Look around" \(a\w+\) started\ncadre: agent Plan "Look around" \(a\w+\) completed after \d+ s, [\d,]+ tokens\n$/,
      );
  }
});
