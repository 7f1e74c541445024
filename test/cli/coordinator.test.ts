import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import type { ModelRequest } from '../../src/protocol/index.ts';
import { call, fakeProvider, say, type Turn } from '../../src/testing/index.ts';
import { cadre, newPlace } from './support.ts';

/** The coordinator's turns, and the worker's. */
function cast(lead: Turn[], worker: Turn[]) {
  return fakeProvider({
    script: (request: ModelRequest) => {
      const isWorker = JSON.stringify(request.messages[0]).includes('Report the line.');
      const turn = (isWorker ? worker : lead).shift() ?? say('Asked once too often.');
      return typeof turn === 'function' ? turn(request) : turn;
    },
  });
}

const start = call('Agent', { description: 'Look', prompt: 'Purpose: a test. Report the line.' });

test('CO1 -p --coordinator waits for its workers and answers with what they found', async () => {
  const place = newPlace();
  await using provider = await cast(
    [
      start,
      say('A worker looks.'),
      (request) => say(JSON.stringify(request.messages).includes('line 42') ? 'It is line 42.' : '?'),
    ],
    [say('It is in line 42.')],
  );
  const ended = await cadre(['-p', 'Where is it?', '--coordinator'], { place, provider });
  expect(ended).toMatchObject({ code: 0 });
  expect(ended.out).toContain('It is line 42.');
  expect(provider.received[0]?.tools.map(({ name }) => name).sort()).toEqual([
    'Agent',
    'SendMessage',
    'TaskStop',
  ]);
  expect(provider.received[0]?.system.join('\n')).toContain("You are Cadre's coordinator");
});

test('CO1 CO5 CO6 the wire says the mode and the scratchpad, and a session that goes on keeps both', async () => {
  const place = newPlace();
  const wire = ['--output-format', 'stream-json', '--verbose'];
  await using provider = await cast([say('Hello.'), call('Bash', { command: 'ls' }), say('No.')], []);
  const first = await cadre(['-p', 'Hello', '--coordinator', ...wire], { place, provider });
  const frames = first.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const init = frames.find((frame) => frame.subtype === 'init');
  expect(init).toMatchObject({
    session_mode: 'coordinator',
    scratchpad: expect.stringContaining('/scratchpad'),
  });
  // Nobody wrote there.
  expect(existsSync(init.scratchpad)).toBe(false);
  const again = await cadre(['-p', 'List it', '-c', ...wire], { place, provider });
  expect(again.out).toContain('stays in it');
  expect(again.out).toContain('this agent does not have the tool Bash');
  const listed = await cadre(['sessions'], { place });
  expect(listed.out).toContain('(coordinator)');
});

test('EX1 without background agents it does not start: exit 2, and the switch is named', async () => {
  const place = newPlace();
  await using provider = await cast([], []);
  const ended = await cadre(['-p', 'Go', '--coordinator'], {
    place,
    provider,
    env: { CADRE_DISABLE_BACKGROUND_TASKS: '1' },
  });
  expect(ended.code).toBe(2);
  expect(ended.err).toContain('CADRE_DISABLE_BACKGROUND_TASKS');
  expect(provider.received).toEqual([]);
});
