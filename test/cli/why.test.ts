import { expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cadre, newPlace } from './support.ts';

test('cadre why explains each command of a line', async () => {
  const { code, out } = await cadre(['why', 'Bash(git log | tee x)'], { place: newPlace() });
  expect(code).toBe(0);
  expect(out).toContain('Bash is asked about: no rule allows writing');
  expect(out).toMatch(/git log +allow: it is known to change nothing/);
  expect(out).toMatch(/tee x +ask: no rule allows writing/);
});

test('cadre why judges as a type of agent, in a mode, by the settings of the directory', async () => {
  const place = newPlace();
  mkdirSync(join(place.cwd, '.cadre'));
  writeFileSync(join(place.cwd, '.cadre', 'settings.json'), '{"permissions":{"deny":["Bash(ls:*)"]}}');
  const verdict = async (...args: string[]) =>
    JSON.parse((await cadre(['why', ...args, '--json'], { place })).out);
  expect(await verdict('Bash(make)', '--agent', 'Explore')).toMatchObject({ decision: 'deny', by: 'role' });
  expect(await verdict('Bash(touch x)', '--mode', 'acceptEdits')).toMatchObject({
    decision: 'allow',
    by: 'mode',
  });
  expect(await verdict('Bash(pwd; ls)')).toMatchObject({ decision: 'deny', by: 'rule' });
  expect(await verdict('Read(/etc/passwd)')).toMatchObject({ decision: 'ask', by: 'workspace' });
});

test('cadre why --batch answers every line, also one that cannot be read', async () => {
  const input = [
    '{"id":1,"tool":"Bash","input":{"command":"git status"}}',
    '{"id":"b","tool":"Bash","input":{"command":"make"},"rules":{"allow":["Bash(make)"]}}',
    '{"id":3,"tool":"Edit","input":{"file_path":".git/config"},"rules":{"allow":["Edit"]}}',
    'nonsense',
    '{"id":5}',
    '{"id":6,"tool":"Bash","input":{"command":"ls"},"rules":{"deny":["Bash("]}}',
  ].join('\n');
  const { code, out } = await cadre(['why', '--batch'], { place: newPlace(), input });
  const answers = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(code).toBe(0);
  expect(answers.map(({ id, decision, by }) => [id, decision, by])).toEqual([
    [1, 'allow', 'default'],
    ['b', 'allow', 'rule'],
    [3, 'ask', 'protected-path'],
    [null, 'deny', 'input'],
    [5, 'deny', 'input'],
    [6, 'deny', 'input'],
  ]);
});

test('cadre why --sandbox judges as if commands were confined, without it as if none were', async () => {
  const place = newPlace();
  const verdict = async (...args: string[]) =>
    JSON.parse((await cadre(['why', ...args, '--json'], { place })).out);
  expect(await verdict('Bash(make)')).toMatchObject({ decision: 'ask', by: 'default' });
  expect(await verdict('Bash(make)', '--sandbox')).toMatchObject({ decision: 'allow', by: 'sandbox' });
  expect(await verdict('Bash(make)', '--sandbox', '--mode', 'plan')).toMatchObject({ decision: 'ask' });
  const input = '{"id":1,"tool":"Bash","input":{"command":"make","dangerouslyDisableSandbox":true}}\n';
  const { out } = await cadre(['why', '--batch', '--sandbox'], { place, input });
  expect(JSON.parse(out)).toMatchObject({ id: 1, decision: 'ask', by: 'default' });
});

test('an unknown agent type or mode is named with those there are', async () => {
  const { code, err } = await cadre(['why', 'Bash(ls)', '--agent', 'nobody'], { place: newPlace() });
  expect(code).toBe(2);
  expect(err).toContain('Explore, Plan, general-purpose, worker');
});
