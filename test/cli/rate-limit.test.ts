import { expect, test } from 'bun:test';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelRequest } from '../../src/protocol/index.ts';
import { call, calls, failWith, fakeProvider, say } from '../../src/testing/index.ts';
import { cadre, newPlace, type Place } from './support.ts';

const quota = (retryAfterMs = 7_200_000) =>
  failWith({ kind: 'rate_limited', message: 'Quota used up.', status: 429, retryAfterMs });
const told =
  /cadre: Suspended until [-0-9: ]+ \(in 2 h\): 127\.0\.0\.1:\d+ rate-limited the request: Quota used up\. Use --fallback-model or another --model\.\n/;

test('G13 with -p a limit that resets later ends the run with code 75: it says why and until when', async () => {
  const place = newPlace();
  await using provider = await fakeProvider({ script: () => quota() });
  const first = await cadre(['-p', 'Hi'], { place, provider });
  expect(first).toMatchObject({ code: 75, out: '' });
  expect(first.err).toMatch(told);
  expect(first.err).toMatch(
    /cadre: suspended; continue after [-0-9: ]+ with: cadre -p --resume [-0-9a-f]{36}\n$/,
  );
  expect(first.err.match(/Quota used up/g)).toHaveLength(1);
  const second = await cadre(['-p', 'Hi'], { place, provider });
  expect(second).toMatchObject({ code: 75, out: '', err: expect.stringMatching(told) });
  expect(provider.requests).toHaveLength(1);
});

test('G13 cadre -p -c continues a suspended run without a prompt, and sends nothing before the reset', async () => {
  const place = newPlace();
  let isReset = false;
  await using provider = await fakeProvider({ script: () => (isReset ? say('Done.') : quota()) });
  expect((await cadre(['-p', 'Work.'], { place, provider })).code).toBe(75);
  const early = await cadre(['-p', '-c'], { place, provider });
  expect(early).toMatchObject({ code: 75, out: '', err: expect.stringMatching(told) });
  expect(provider.requests).toHaveLength(1);
  isReset = true;
  passTime(place);
  expect(await cadre(['-p', '-c'], { place, provider })).toMatchObject({ code: 0, out: 'Done.\n' });
  const again = await cadre(['-p', '-c'], { place, provider });
  expect(again).toMatchObject({ code: 2, err: expect.stringContaining('has no suspended work to continue') });
});

test('G13 with --wait it waits for the reset, also one that an earlier process was told of', async () => {
  const place = newPlace();
  const at: number[] = [];
  let resetsAt = 0;
  await using provider = await fakeProvider({
    script: () => {
      at.push(Date.now());
      if (at.length > 1) return say('Done.');
      resetsAt = Date.now() + 3_000;
      return quota(3_000);
    },
  });
  const first = await cadre(['-p', 'Work.', '--wait', '1s'], { place, provider });
  expect(first.code).toBe(75);
  const second = await cadre(['-p', '-c'], { place, provider, env: { CADRE_WAIT: '1m' } });
  expect(second).toMatchObject({ code: 0, out: 'Done.\n' });
  expect(at[1]).toBeGreaterThanOrEqual(resetsAt);
});

test('G13 suspended agents continue with their session, and their results arrive', async () => {
  const place = newPlace();
  const names = ['a', 'b', 'c', 'd'];
  let isReset = false;
  const script = (request: ModelRequest) => {
    const text = JSON.stringify(request.messages);
    const name = /"text":"job ([a-d])"/.exec(text)?.[1];
    if (name !== undefined) return isReset ? say(`report ${name}`) : quota();
    if (request.messages.length === 1)
      return calls(
        names.map((one) =>
          call('Agent', {
            ...{ description: `job ${one}`, prompt: `job ${one}`, subagent_type: 'general-purpose' },
            run_in_background: one > 'b',
          }),
        ),
      );
    const seen = names.filter((one) => text.includes(`report ${one}`));
    return say(seen.length === names.length ? 'All four.' : `So far ${seen.join()}.`);
  };
  await using provider = await fakeProvider({ script });
  const first = await cadre(['-p', 'Start.'], { place, provider });
  expect(first.code).toBe(75);
  const sent = provider.requests.length;
  const tasks = await cadre(['tasks'], { place });
  expect(tasks.out.match(/suspended/g)).toHaveLength(4);
  isReset = true;
  passTime(place);
  const second = await cadre(['-p', '-c'], { place, provider });
  expect(second).toMatchObject({ code: 0, out: expect.stringContaining('All four.') });
  expect(sent).toBeLessThanOrEqual(5);
});

for (const format of ['json', 'stream-json'])
  test(`G13 ${format} says that the run is suspended, why and until when`, async () => {
    const place = newPlace();
    await using provider = await fakeProvider({ script: () => quota() });
    const { code, out } = await cadre(['-p', 'Hi', '--output-format', format], { place, provider });
    expect(code).toBe(75);
    const frames = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const until = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(frames.find(({ type }) => type === 'result')).toMatchObject({
      ...{ type: 'result', is_error: true, outcome: 'interrupted', suspended_until: until },
      errors: [expect.stringContaining('Quota used up.')],
    });
    if (format === 'json') return;
    expect(frames).toContainEqual(
      expect.objectContaining({
        ...{ type: 'system', subtype: 'informational', suspended_until: until },
        content: expect.stringMatching(/^Suspended until /),
      }),
    );
  });

test('a duration that is none is refused, wherever it is given', async () => {
  const place = newPlace();
  const flag = await cadre(['-p', 'Hi', '--wait', 'long'], { place });
  expect(flag).toMatchObject({ code: 2, err: expect.stringContaining('--wait long: expected a duration') });
  const setting = await cadre(['-p', 'Hi', '--settings', '{"wait":"long"}'], { place });
  expect(setting).toMatchObject({ code: 2, err: expect.stringContaining('a duration, such as 90s') });
});

test('a limit of one server, or of one key, holds up no other', async () => {
  const place = newPlace();
  await using limited = await fakeProvider({ script: () => quota() });
  expect((await cadre(['-p', 'Hi'], { place, provider: limited })).code).toBe(75);
  await using free = await fakeProvider({ script: () => say('Hello.') });
  expect(await cadre(['-p', 'Hi'], { place, provider: free })).toMatchObject({ code: 0, out: 'Hello.\n' });
  const env = { ANTHROPIC_API_KEY: 'another-key' };
  expect((await cadre(['-p', 'Hi'], { place, provider: limited, env })).code).toBe(75);
  expect(limited.requests).toHaveLength(2);
});

/** The reset of every limit that was stored is in the past from here on. */
function passTime({ home }: Place): void {
  const root = join(home, 'pacing');
  for (const model of readdirSync(root))
    for (const name of readdirSync(join(root, model))) {
      if (!name.endsWith('.json')) continue;
      const path = join(root, model, name);
      const note = JSON.parse(readFileSync(path, 'utf8'));
      if (!note.hold) continue;
      note.hold.at -= note.hold.delayMs + 1_000;
      if (note.estimate) note.estimate.refusedAt -= note.hold.delayMs;
      rmSync(path);
      writeFileSync(path, JSON.stringify(note), { mode: 0o600 });
    }
}
