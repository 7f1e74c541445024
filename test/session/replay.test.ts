import { expect, test } from 'bun:test';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentEvent, ModelRequest } from '../../src/protocol/index.ts';
import { openSession } from '../../src/session/open.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import { call, calls, say, scriptedModel, type Turn } from '../../src/testing/index.ts';
import { type Place, place, runOnTape } from './support.ts';

async function run(at: Place, options: SessionOptions, prompt?: string) {
  const opened = await openSession({ cwd: at.cwd, environment: at.environment, ...options });
  if (!opened.ok) throw new Error(opened.problem.message);
  const session = opened.value;
  const messages: string[] = [];
  const begun = Promise.withResolvers<void>();
  void (async () => {
    for await (const event of session.events()) {
      if (event.type === 'run_started') begun.resolve();
      if (event.type === 'message_added') messages.push(JSON.stringify(event));
    }
  })();
  if (prompt === undefined) for (const command of session.recorded()) session.send(command);
  else session.send({ type: 'prompt', content: prompt });
  await begun.promise;
  await session.finished(AbortSignal.timeout(10_000));
  const closed = await session.close();
  return { messages, closed, id: session.id };
}

function work(): { at: Place; tape: string } {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  writeFileSync(join(at.cwd, 'large.txt'), `${'a long line of text '.repeat(20)}\n`.repeat(400));
  return { at, tape: join(at.cwd, '../run.tape') };
}

const stories: [string, Turn[], SessionOptions][] = [
  [
    'a background command that ends',
    [call('Bash', { command: 'echo from afar', run_in_background: true }), say('Started.'), say('Seen.')],
    {},
  ],
  [
    'a result that is kept in a file',
    [calls([call('Read', { file_path: 'large.txt' }), call('Bash', { command: 'date +%N' })]), say('Done.')],
    {},
  ],
  [
    'a session id, a limit and a prompt of its own',
    [call('Bash', { command: 'pwd' }), say('Done.')],
    { sessionId: '11111111-2222-4333-8444-555555555555', maxTurns: 7, appendSystemPrompt: 'Be brief.' },
  ],
  [
    'a coordinator, a worker and a refusal',
    [
      calls([call('Agent', { description: 'Look', prompt: 'Look' }), call('Bash', { command: 'pwd' })]),
      ...Array.from(
        { length: 3 },
        () => (request: ModelRequest) => say(request.asker?.agentId ? 'Seen.' : 'Noted.'),
      ),
    ],
    { coordinator: true },
  ],
];

test.each(stories)(
  'G10 a run with %s replays byte for byte, from the tape alone',
  async (_, turns, options) => {
    const { at, tape } = work();
    const recorded = await run(
      at,
      { ...options, model: scriptedModel(turns), permissionMode: 'bypassPermissions', record: tape },
      'Go',
    );
    expect(recorded.closed).toMatchObject({ ok: true });
    const replayed = await run(at, { replay: tape });
    expect(replayed.closed).toMatchObject({ ok: true });
    const apart = (text: string) => text.replace(/replays\/[a-z0-9]+\//g, '');
    expect(replayed.messages.map(apart)).toEqual(recorded.messages);
    expect(replayed.id).toBe(recorded.id);
    expect(readdirSync(join(at.home, 'replays'))).toEqual([]);
  },
);

test('G10 a changed tool result is reported at the first difference, with both sides', async () => {
  const { at, tape } = work();
  const turns = [call('Bash', { command: 'echo one' }), say('Done.')];
  await run(at, { model: scriptedModel(turns), permissionMode: 'bypassPermissions', record: tape }, 'Go');
  const lines = readFileSync(tape, 'utf8').split('\n');
  const changed = lines.map((line) =>
    line.includes('"type":"result"') ? line.replaceAll('one', 'two') : line,
  );
  expect(changed).not.toEqual(lines);
  writeFileSync(tape, changed.join('\n'));
  const { closed } = await run(at, { replay: tape });
  expect(closed).toMatchObject({
    ok: false,
    problem: { message: expect.stringMatching(/recorded: .*one.*now: .*two/s) },
  });
});

test('UI4 in a replay agents show the tokens that were counted when it was recorded, and cost nothing', async () => {
  const { at, tape } = work();
  const spent = (events: readonly AgentEvent[]) =>
    events.flatMap((event) =>
      event.type === 'task_changed' && event.end ? [event.task.agent?.progress.spentTokens] : [],
    );
  const look = call('Agent', { description: 'Look', prompt: 'Look', subagent_type: 'scout' });
  const agents = { scout: { description: 'x', prompt: 'You look.' } };
  const recorded = await runOnTape(
    at,
    { record: tape, model: scriptedModel([look, say('Seen.'), say('Done.')]), sandbox: false, agents },
    'Go',
  );
  const replayed = await runOnTape(at, { replay: tape, agents });
  expect(spent(recorded.events)).toEqual([expect.any(Number)]);
  expect(spent(recorded.events)[0]).toBeGreaterThan(0);
  expect(spent(replayed.events)).toEqual(spent(recorded.events));
  const ended = replayed.events.findLast((event) => event.type === 'run_ended');
  expect(ended?.type === 'run_ended' && ended.cost?.totalMicroUsd).toBe(0);
});
