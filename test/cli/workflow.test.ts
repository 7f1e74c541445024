import { expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FixedTurn, fakeProvider, say } from '../../src/testing/index.ts';
import { cadre, newPlace, start } from './support.ts';

const script = `export const meta = { name: 'greet', description: 'Greets.', args: { type: 'array', items: { type: 'string' } } };
phase('greet');
return await parallel(args.map((who) => () => agent('greet ' + who, { label: who })));`;

function placeWith(text = script) {
  const place = newPlace();
  mkdirSync(join(place.home, 'workflows'), { recursive: true });
  writeFileSync(join(place.home, 'workflows', 'greet.js'), text);
  return place;
}

test('TS6 cadre run prints progress as lines and the result; runs are listed, shown and resumed', async () => {
  await using provider = await fakeProvider({ script: () => say('hello') });
  const place = placeWith();
  const ran = await cadre(['run', 'greet', '--args', '["a","b"]'], { place, provider });
  expect(ran.code).toBe(0);
  expect(ran.err).toContain('== greet\n');
  expect(ran.err).toContain('ok EXECUTED a (');
  expect(ran.out).toContain('completed. 2 calls: 2 ok (2 executed).');
  const runs = JSON.parse((await cadre(['workflows', 'runs', '--json'], { place })).out);
  const [{ runId }] = runs.runs;
  expect((await cadre(['workflows', 'show', runId], { place })).out).toMatch(/ok +greet: a \(a\w+\)/);
  const again = await cadre(['run', '--resume', runId, '--json'], { place, provider });
  expect(JSON.parse(again.out)).toMatchObject({ status: 'completed', census: { verdicts: { REPLAYED: 2 } } });
  expect(provider.requests).toHaveLength(2);
});

test('cadre run prints frames of phases and calls, and the end of the run as the last one', async () => {
  await using provider = await fakeProvider({ script: () => say('hello') });
  const args = ['run', 'greet', '--args', '["a"]', '--output-format', 'stream-json'];
  const { code, out, err } = await cadre(args, { place: placeWith(), provider });
  const frames = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect([code, err]).toEqual([0, '']);
  expect(frames.filter(({ type }) => type === 'result')).toEqual([frames.at(-1)]);
  expect(frames.at(-1)).toMatchObject({
    ...{
      subtype: 'success',
      is_error: false,
      status: 'completed',
      value: ['hello'],
      census: { verdicts: { EXECUTED: 1 } },
    },
    session_id: expect.any(String),
  });
  const calls = frames.filter(({ subtype }) => subtype === 'workflow_call_changed');
  expect(calls.at(-1)).toMatchObject({ label: 'a', phase: 'greet', outcome: 'ok' });
  expect(calls.at(-1).run_id).toBe(frames.at(-1).run_id);
  expect(frames.findLast(({ subtype }) => subtype === 'workflow_changed')).toMatchObject({
    status: 'completed',
  });
});

test('TS6 wrong input of cadre run is refused with what was expected, and nothing starts', async () => {
  const place = placeWith();
  const refused = async (...args: string[]) => {
    const { code, err } = await cadre(['run', ...args], { place, env: { ANTHROPIC_API_KEY: 'k' } });
    expect(code).toBe(2);
    return err;
  };
  expect(await refused()).toContain('Name a workflow');
  expect(await refused('gret')).toContain('Did you mean greet?');
  expect(await refused('greet', '--args', '{')).toContain('--args: expected JSON');
  expect(await refused('greet', 'a,b')).toContain('are not JSON');
  expect(await refused('--resume', 'rnothing')).toContain('rnothing');
});

test('TS6 control characters of what a script throws do not reach the terminal', async () => {
  const text =
    "export const meta = { name: 'greet', description: 'Greets.' };\nthrow new Error('a\\u001b[2Jb');";
  const { code, out, err } = await cadre(['run', 'greet'], {
    place: placeWith(text),
    env: { ANTHROPIC_API_KEY: 'k' },
  });
  expect(code).toBe(1);
  expect(out).toContain('Error: a');
  expect(out + err).not.toContain('\u001b');
});

test('TS8 a run that is resumed from another directory continues in its own, and says so', async () => {
  await using provider = await fakeProvider({ script: () => say('hello') });
  const place = placeWith(
    "export const meta = { name: 'greet', description: 'Greets.' };\nreturn await agent('one');",
  );
  await cadre(['run', 'greet'], { place, provider });
  const more =
    "export const meta = { name: 'greet', description: 'Greets.' };\nawait agent('one'); return await agent('two');";
  const elsewhere = join(place.userHome, 'elsewhere');
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, 'edited.js'), more);
  const runs = JSON.parse((await cadre(['workflows', 'runs', '--json'], { place })).out);
  const [{ runId }] = runs.runs;
  const resumed = await cadre(['run', './edited.js', '--resume', runId], {
    place: { ...place, cwd: elsewhere },
    provider,
  });
  expect(resumed.err).toContain(`The run continues in its own directory, ${place.cwd}.`);
  expect(resumed.out).toContain('completed. 2 calls: 2 ok (1 executed, 1 replayed)');
  expect(String(provider.requests.at(-1)?.body)).toContain(`Working directory: ${place.cwd}`);
});

test('TS8 of two processes that resume one run, one works and the other is told which; a signal stops it with 130', async () => {
  const asked = Promise.withResolvers<void>();
  await using provider = await fakeProvider({
    script: (): Promise<FixedTurn> => {
      asked.resolve();
      return new Promise(() => {});
    },
  });
  const place = placeWith();
  const first = start(['run', 'greet', '--args', '["a"]'], { place, provider });
  await asked.promise;
  const runs = JSON.parse((await cadre(['workflows', 'runs', '--json'], { place })).out);
  const [{ runId, status, owner }] = runs.runs;
  expect(status).toBe('running');
  const second = await cadre(['run', '--resume', runId], { place, provider });
  expect(second.code).toBe(2);
  expect(second.err).toContain(`is being run by another process (pid ${owner})`);
  first.child.kill('SIGINT');
  const ended = await first.ended;
  expect(ended.code).toBe(130);
  expect(ended.out).toContain('stopped. 1 call: 1 interrupted (1 halted)');
});
