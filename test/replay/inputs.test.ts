import { expect, test } from 'bun:test';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { sleep } from '../../src/lib/clock.ts';
import { type Command, defineTool, textResult } from '../../src/protocol/index.ts';
import type { Reel } from '../../src/replay/reel.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import { call, calls, hang, say, scriptedModel, type Turn } from '../../src/testing/index.ts';
import {
  mark,
  type Place,
  place,
  placeless,
  recording,
  replaying,
  secret,
  type Wired,
  wire,
} from './support.ts';

/** Records what `drive` does with a session, replays it, and expects the same events and the same transcript. */
async function sameAgain(
  turns: readonly Turn[] | ((at: Place) => Turn[]),
  drive: (run: Wired, reel: Reel) => Promise<void>,
  options: SessionOptions | ((reel: Reel) => SessionOptions) = {},
  files: Record<string, string> = {},
) {
  const at = place(files);
  const model = scriptedModel(typeof turns === 'function' ? turns(at) : turns);
  const optionsFor = (reel: Reel) => (typeof options === 'function' ? options(reel) : options);
  const first = recording(at);
  const recordedRun = await wire(at, first, model, optionsFor(first));
  await drive(recordedRun, first);
  const recorded = await recordedRun.close();
  expect(recorded.problem).toBeUndefined();

  const there = place(files);
  const second = await replaying(there, at.tape);
  const replayedRun = await wire(there, second, scriptedModel([]), optionsFor(second));
  await drive(replayedRun, second);
  const replayed = await replayedRun.close();
  expect(replayed.problem).toBeUndefined();
  // The kept bytes of a file that held the secret are others, and so is their name.
  const hashes = recorded.transcript.includes(secret) ? /(?<="before":")[0-9a-f]{64}/g : /(?!)/g;
  const mask = (text: string) => text.replaceAll(secret, mark).replace(hashes, '');
  expect(replayed.events.map((event) => mask(placeless(there, event)))).toEqual(
    recorded.events.map((event) => mask(placeless(at, event))),
  );
  expect(mask(placeless(there, replayed.transcript))).toBe(mask(placeless(at, recorded.transcript)));
  return { at, recorded, replayed, tape: readFileSync(at.tape, 'utf8') };
}

const send = (run: Wired, reel: Reel, command: Command) =>
  reel.takeCommand(command, () => run.session.send(command));

/** Waits until an event of the kind has come, so many times. */
async function until({ events }: Wired, type: string, times = 1): Promise<void> {
  while (events.filter((event) => event.type === type).length < times)
    await new Promise((resolve) => setImmediate(resolve));
}

/** Two calls run side by side; the slower one is the first. */
const wait = defineTool({
  name: 'Wait',
  description: 'Waits.',
  schema: z.object({ name: z.string(), ms: z.number() }),
  access: () => [],
  concurrent: () => true,
  summary: ({ name }) => name,
  async *run({ name, ms }, { clock }) {
    yield { text: `${name} begins` };
    await sleep(clock, ms);
    yield { text: `${name} ends` };
    return textResult(name, { name, nothing: undefined });
  },
});

const broken = defineTool({
  ...wait,
  name: 'Broken',
  async *run() {
    yield { text: 'now' };
    throw new Error('a bug');
  },
});

test('G10 calls side by side end in the recorded order, with their progress', async () => {
  const { replayed } = await sameAgain(
    [
      calls([
        call('Wait', { name: 'slow', ms: 60 }),
        call('Wait', { name: 'fast', ms: 5 }),
        call('Broken', { name: '', ms: 0 }),
      ]),
      say('ok'),
    ],
    async (run) => void (await run.prompt('go')),
    { ownTools: [wait, broken] },
  );
  const ends = replayed.events.map((event) => JSON.parse(event)).filter(({ type }) => type === 'tool_ended');
  expect(ends.map(({ toolUseId }) => toolUseId)).toEqual(['toolu_1_1_2', 'toolu_1_1_1', 'toolu_1_1_0']);
  expect(ends[2].durationMs).toBeGreaterThanOrEqual(60);
});

test('G10 a background command ends and reports at its place', async () => {
  const { replayed } = await sameAgain(
    [
      call('Bash', { command: 'sleep 0.1; echo done', run_in_background: true }),
      say('Started.'),
      say('I saw it end.'),
    ],
    async (run) => {
      await run.prompt('go');
      await until(run, 'run_ended', 2);
    },
  );
  expect(replayed.transcript).toContain('task-notification');
  expect(replayed.transcript).toContain('I saw it end.');
});

test('G10 a command that is sent to the background goes there at its place', async () => {
  const { recorded, replayed } = await sameAgain(
    [
      call('Bash', { command: 'echo first; sleep 0.5; echo last' }),
      say('It goes on behind.'),
      say('I saw it end.'),
    ],
    async (run, reel) => {
      send(run, reel, { type: 'prompt', content: 'go' });
      await until(run, 'tool_progressed');
      send(run, reel, { type: 'background_tasks' });
      await until(run, 'run_ended', 2);
    },
  );
  expect(recorded.transcript).toContain('moved this to the background');
  expect(replayed.transcript).toContain('task-notification');
});

test('G10 a background command that is under way at the end is stopped there', async () => {
  const { tape } = await sameAgain(
    [call('Bash', { command: 'sleep 60', run_in_background: true }), say('Started.')],
    async (run) => void (await run.prompt('go')),
  );
  expect(tape).toMatch(/"type":"task".*"status":"killed"/);
});

test('G10 an interrupt comes at its place', async () => {
  const { replayed } = await sameAgain([hang(say('I will go on')), say('Sorry.')], async (run, reel) => {
    send(run, reel, { type: 'prompt', content: 'go' });
    await until(run, 'model_streamed', 4);
    send(run, reel, { type: 'interrupt' });
    await until(run, 'run_ended');
    await run.prompt('again');
  });
  expect(replayed.events.join()).toContain('"kind":"interrupted"');
});

test('G10 commands may be given all at once: each waits for its place', async () => {
  const at = place();
  const run = await wire(
    at,
    recording(at),
    scriptedModel([call('Bash', { command: 'sleep 0.1' }), say('one'), say('two')]),
  );
  const first = run.prompt('first');
  await until(run, 'tool_started');
  await first;
  await run.prompt('second');
  const recorded = await run.close();
  const there = place();
  const reel = await replaying(there, at.tape);
  const again = await wire(there, reel, scriptedModel([]));
  expect(reel.commands).toEqual([
    { type: 'prompt', content: 'first' },
    { type: 'prompt', content: 'second' },
  ]);
  for (const command of reel.commands) send(again, reel, command);
  await until(again, 'run_ended', 2);
  const replayed = await again.close();
  expect(replayed.problem).toBeUndefined();
  expect(placeless(there, replayed.transcript)).toBe(placeless(at, recorded.transcript));
});

test('G10 a prompt that steers a run joins it at the same turn', async () => {
  const { replayed } = await sameAgain(
    [call('Bash', { command: 'sleep 0.1' }), say('With both in mind.')],
    async (run, reel) => {
      send(run, reel, { type: 'prompt', content: 'first' });
      await until(run, 'tool_started');
      send(run, reel, { type: 'prompt', content: 'and also this' });
      await until(run, 'run_ended');
    },
  );
  expect(replayed.transcript).toContain('and also this');
});

test('G10 answers to questions are those of the recording, also when nobody attends', async () => {
  let asked = 0;
  const { replayed } = await sameAgain(
    [call('Bash', { command: 'touch made' }), call('Bash', { command: 'touch other' }), say('ok')],
    async (run) => void (await run.prompt('go')),
    (reel) => ({
      permissionMode: 'default',
      ...(reel.isReplay
        ? {}
        : {
            onQuestion: async () =>
              asked++ === 0 ? { behaviour: 'allow' } : { behaviour: 'deny', message: 'not this' },
          }),
    }),
  );
  expect(asked).toBe(2);
  expect(replayed.transcript).toContain('not this');
});

test('G10 timers of the run itself are over at their place', async () => {
  const at = place();
  const reel = recording(at);
  const turn = () => new Promise<string>((resolve) => reel.outsideClock.after(60, () => resolve('ok')));
  const run = await wire(at, reel, scriptedModel([turn]));
  const waited = sleep(reel.clock, 30).then(() => reel.clock.monotonic());
  reel.clock.after(5, () => expect.unreachable())();
  await run.prompt('go');
  expect(await waited).toBeGreaterThanOrEqual(30);
  await run.close();
  const there = place();
  const again = await replaying(there, at.tape);
  const replayed = await wire(there, again, scriptedModel([]));
  const waitedAgain = sleep(again.clock, 30).then(() => again.clock.monotonic());
  again.clock.after(5, () => expect.unreachable())();
  await replayed.prompt('go');
  expect(await waitedAgain).toBe(await waited);
  expect((await replayed.close()).problem).toBeUndefined();
});

test('what a tool asks of a model is part of its result, and is not on the tape', async () => {
  const inner = scriptedModel([say('inner answer')]);
  const optionsFor = (reel: Reel): SessionOptions => {
    const model = reel.openModel('inner', () => ({ ok: true, value: inner }));
    const ask = defineTool({
      ...wait,
      name: 'Ask',
      async *run() {
        yield { text: 'asking' };
        if (!model.ok) throw new Error(model.problem.message);
        const request = {
          system: [],
          tools: [],
          messages: [],
          maxOutputTokens: 1,
          thinking: { type: 'off' as const },
        };
        for await (const event of model.value.stream(request, new AbortController().signal))
          if (event.type === 'response_ended') return textResult(JSON.stringify(event.message.content));
        return textResult('nothing');
      },
    });
    return { ownTools: [ask] };
  };
  const { tape } = await sameAgain(
    [call('Ask', { name: 'x', ms: 0 }), say('ok')],
    async (run) => void (await run.prompt('go')),
    optionsFor,
  );
  expect(tape.match(/"type":"request"/g)).toHaveLength(2);
  inner.assertConsumed();
});

test('no secret is on the tape, wherever it came from, and the tape is private', async () => {
  const { at, tape, recorded } = await sameAgain(
    ({ cwd }) => [
      say(`I know ${secret}, and ${secret.slice(0, 9)} too: ${secret}${secret}`),
      call('Read', { file_path: join(cwd, '.env') }),
      call('Edit', { file_path: join(cwd, '.env'), old_string: 'old', new_string: secret }),
      call('Bash', { command: `echo ${secret} | tr -d x; cat .env >&2` }),
      say('ok'),
    ],
    async (run) => {
      await run.prompt(`My key is ${secret}.`);
      await run.prompt('Go on.');
    },
    {},
    { '.env': `KEY=${secret}\nold\n` },
  );
  expect(recorded.transcript).toContain(secret);
  expect(tape).not.toContain(secret);
  expect(tape).not.toContain(Buffer.from(`KEY=${secret}`).toString('base64').slice(0, 20));
  expect(statSync(at.tape).mode & 0o777).toBe(0o600);
});
