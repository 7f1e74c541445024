import { expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelRequest } from '../../src/protocol/index.ts';
import { call, failWith, fakeProvider, hang, say, type Turn } from '../../src/testing/index.ts';
import { cadre, newPlace, start, until } from './support.ts';

const poet = { poet: { description: 'Writes verse.', prompt: 'You are a poet.', tools: ['Read'] } };

function delegate(type: string, background = false) {
  return call('Agent', {
    description: 'Write',
    prompt: 'Write a line.',
    subagent_type: type,
    ...(background ? { run_in_background: true } : {}),
  });
}

/** The lead's turns, and for whoever was told to write the agent's. */
function cast(lead: Turn[], agent: Turn[]) {
  return fakeProvider({
    script: (request: ModelRequest) => {
      const isAgent = JSON.stringify(request.messages[0]).includes('Write a line.');
      const turn = (isAgent ? agent : lead).shift() ?? say('Asked once too often.');
      return typeof turn === 'function' ? turn(request) : turn;
    },
  });
}

test('--agents takes JSON or a file, and the agent has the prompt and tools that were given', async () => {
  const place = newPlace();
  writeFileSync(join(place.cwd, 'agents.json'), JSON.stringify(poet));
  for (const value of [JSON.stringify(poet), 'agents.json']) {
    await using provider = await cast([delegate('poet'), say('Done.')], [say('A rose.')]);
    const ended = await cadre(['-p', 'Go.', '--agents', value], { place, provider });
    expect(ended).toMatchObject({ code: 0, out: 'Done.\n' });
    expect(provider.received[1]?.system.join('\n')).toContain('You are a poet.');
    expect(provider.received[1]?.tools.map((tool) => tool.name)).toEqual(['Read']);
  }
});

test('--agents that is wrong is exit 2, names what is wrong, and asks no model', async () => {
  const place = newPlace();
  await using provider = await cast([], []);
  for (const [value, words] of [
    ['{"poet":', 'not valid JSON'],
    ['{"poet":{"prompt":"x"}}', '"poet"'],
    ['nowhere.json', 'nowhere.json'],
  ] as const) {
    const ended = await cadre(['-p', 'Go.', '--agents', value], { place, provider });
    expect(ended.code).toBe(2);
    expect(ended.err).toContain('--agents');
    expect(ended.err).toContain(words);
  }
  expect(provider.requests).toEqual([]);
});

test("--plugin-dir takes a plugin's agents along, under its name", async () => {
  const place = newPlace();
  const plugin = join(place.cwd, 'verse');
  mkdirSync(join(plugin, 'agents'), { recursive: true });
  writeFileSync(
    join(plugin, 'agents', 'poet.md'),
    '---\nname: poet\ndescription: Writes.\n---\nYou are a plugged-in poet.\n',
  );
  await using provider = await cast([delegate('verse:poet'), say('Done.')], [say('A rose.')]);
  const ended = await cadre(['-p', 'Go.', '--plugin-dir', plugin], { place, provider });
  expect(ended).toMatchObject({ code: 0, out: 'Done.\n' });
  expect(provider.received[1]?.system.join('\n')).toContain('You are a plugged-in poet.');
  const wrong = await cadre(['-p', 'Go.', '--plugin-dir', 'nowhere'], { place, provider });
  expect(wrong.code).toBe(2);
  expect(wrong.err).toContain('nowhere');
});

test('--agent runs the session as that agent', async () => {
  const place = newPlace();
  await using provider = await cast([say('A rose.')], []);
  const args = ['-p', 'Go.', '--agents', JSON.stringify(poet), '--agent', 'poet'];
  expect(await cadre(args, { place, provider })).toMatchObject({ code: 0, out: 'A rose.\n' });
  expect(provider.received[0]?.system.join('\n')).toContain('You are a poet.');
  const unknown = await cadre(['-p', 'Go.', '--agent', 'nobody'], { place, provider });
  expect(unknown).toMatchObject({ code: 2, err: expect.stringContaining('"nobody"') });
});

test('--forward-subagent-text needs stream-json, and forwards what an agent says', async () => {
  const place = newPlace();
  await using provider = await cast([delegate('Plan'), say('Done.')], [say('A rose.')]);
  const refused = await cadre(['-p', 'Go.', '--forward-subagent-text'], { place, provider });
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('--output-format stream-json') });
  const args = ['-p', 'Go.', '--output-format', 'stream-json', '--forward-subagent-text'];
  const ended = await cadre(args, { place, provider });
  const frames = ended.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const said = frames.filter((frame) => frame.type === 'assistant' && frame.parent_tool_use_id);
  expect(said.map((frame) => frame.message.content[0])).toMatchObject([{ type: 'text', text: 'A rose.' }]);
});

test('--verbose says when an agent starts and ends', async () => {
  const place = newPlace();
  await using provider = await cast([delegate('Plan'), say('Done.')], [say('A rose.')]);
  const ended = await cadre(['-p', 'Go.', '--verbose'], { place, provider });
  expect(ended.out).toBe('Done.\n');
  expect(ended.err).toMatch(/agent Plan "Write" \(a\w+\) started\n.*completed after \d+ s, [\d,]+ tokens/);
});

test('-p gives up on a background agent after CADRE_PRINT_BG_WAIT_MS, and nothing is left', async () => {
  const place = newPlace();
  for (const variable of ['CADRE_PRINT_BG_WAIT_MS', 'CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS']) {
    await using provider = await cast([delegate('Plan', true), say('Started.')], [hang(say('A'))]);
    const ended = await cadre(['-p', 'Go.'], { place, provider, env: { [variable]: '300' } });
    expect(ended).toMatchObject({ code: 124, out: 'Started.\n' });
    expect(ended.err).toContain('waiting for one background agent, until it makes no progress for 0.3 s');
    expect(ended.err).toContain('did not finish: no progress for 0.3 s');
  }
});

test('SIGINT ends the wait for a background agent at once, with 130', async () => {
  const place = newPlace();
  await using provider = await cast([delegate('Plan', true), say('Started.')], [hang(say('A'))]);
  const running = start(['-p', 'Go.'], { place, provider });
  let err = '';
  running.child.stderr?.on('data', (chunk: Buffer) => {
    err += chunk;
  });
  await until(() => err.includes('waiting'));
  process.kill(running.pid, 'SIGINT');
  expect(await running.ended).toMatchObject({ code: 130, out: 'Started.\n' });
});

test('SIGINT ends the wait for a suspended agent, which stays suspended and is not said to have stopped', async () => {
  const place = newPlace();
  const refused = failWith({ kind: 'rate_limited', message: 'quota', retryAfterMs: 3_600_000 });
  await using provider = await cast([delegate('Plan', true), say('Started.')], [refused]);
  const running = start(['-p', 'Go.', '--wait', '6h'], { place, provider });
  let err = '';
  running.child.stderr?.on('data', (chunk: Buffer) => {
    err += chunk;
  });
  await until(() => err.includes('Suspended until'));
  await until(() => err.includes('waiting for one background agent'));
  process.kill(running.pid, 'SIGINT');
  expect(await running.ended).toMatchObject({ code: 130 });
  expect(err).toMatch(/Interrupted\. Suspended: Plan "Write" \(a\w+\); cadre -p -c continues it\./);
  expect(err).not.toContain('Stopped');
  expect((await cadre(['tasks'], { place, provider })).out).toContain('suspended until');
});
