import { expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { needs } from '../support/index.ts';
import { cadre, newPlace } from './support.ts';

test('cadre why explains each command of a line', async () => {
  const { code, out } = await cadre(['why', 'Bash(git log | tee x)', '--no-sandbox'], { place: newPlace() });
  expect(code).toBe(0);
  expect(out).toContain('Bash is asked about: no rule allows writing');
  expect(out).toMatch(/git log +allow: it only reads/);
  expect(out).toMatch(/tee x +ask: no rule allows writing/);
});

test('cadre why judges as a type of agent, in a mode, by the settings of the directory', async () => {
  const place = newPlace();
  mkdirSync(join(place.cwd, '.cadre'));
  writeFileSync(join(place.cwd, '.cadre', 'settings.json'), '{"permissions":{"deny":["Bash(ls:*)"]}}');
  const verdict = async (...args: string[]) =>
    JSON.parse((await cadre(['why', ...args, '--json', '--no-sandbox'], { place })).out);
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
  const { code, out } = await cadre(['why', '--batch', '--no-sandbox'], { place: newPlace(), input });
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

needs('bwrap')('cadre why judges with the sandbox that a session here would use, and says so', async () => {
  const place = newPlace();
  const batch = '{"id":1,"tool":"Bash","input":{"command":"make"}}\n';
  const judged = async (...flags: string[]) => [
    JSON.parse((await cadre(['why', 'Bash(make)', '--json', ...flags], { place })).out),
    JSON.parse((await cadre(['why', '--batch', ...flags], { place, input: batch })).out),
    (await cadre(['why', 'Bash(make)', ...flags], { place })).out,
  ];
  const on = { decision: 'allow', by: 'sandbox', sandbox: 'on' };
  const off = { decision: 'ask', by: 'default', sandbox: 'off' };
  expect(await judged()).toMatchObject([
    on,
    on,
    expect.stringContaining('sandbox: on, as in a session here'),
  ]);
  expect(await judged('--no-sandbox')).toMatchObject([
    ...[off, off, expect.stringContaining('sandbox: off (--no-sandbox)')],
  ]);
  mkdirSync(place.home, { recursive: true });
  writeFileSync(join(place.home, 'settings.json'), '{"sandbox":{"enabled":false}}');
  expect(await judged()).toMatchObject([
    ...[off, off, expect.stringContaining('sandbox: off by the setting sandbox.enabled')],
  ]);
  expect(await judged('--sandbox')).toMatchObject([on, on, expect.stringContaining('on (--sandbox)')]);
  writeFileSync(join(place.home, 'settings.json'), '{"sandbox":{"bwrapPath":"/usr/bin/false"}}');
  expect(await judged()).toMatchObject([
    { decision: 'ask', sandbox: 'unavailable' },
    { decision: 'ask', sandbox: 'unavailable' },
    expect.stringContaining('sandbox: not available here: '),
  ]);
});

test('cadre why takes ~ for the home, what is in Grep for its pattern, and an input as JSON', async () => {
  const place = newPlace();
  const reason = async (call: string) =>
    JSON.parse((await cadre(['why', call, '--json', '--no-sandbox'], { place })).out);
  const { decision, reason: why } = await reason('Read(~/notes.txt)');
  expect([decision, why]).toEqual(['ask', expect.stringContaining(join(place.userHome, 'notes.txt'))]);
  expect(await reason('Grep(~/needle)')).toMatchObject({ decision: 'allow' });
  expect(await reason('Grep(needle)')).toMatchObject({ decision: 'allow' });
  expect(await reason('Grep({"pattern":"needle","path":"/etc"})')).toMatchObject({ decision: 'ask' });
});

test('cadre why --sandbox judges as if commands were confined, --no-sandbox as if none were', async () => {
  const place = newPlace();
  const verdict = async (...args: string[]) =>
    JSON.parse((await cadre(['why', ...args, '--json'], { place })).out);
  expect(await verdict('Bash(make)', '--no-sandbox')).toMatchObject({ decision: 'ask', by: 'default' });
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

test('cadre why --batch denies a call that it cannot read, rather than take it for one that touches nothing', async () => {
  const lines = [
    { tool: 'Nonsense', input: {} },
    { tool: 'Nonsense', input: { path: 'a.txt' } },
    { tool: 'Read', input: {} },
    { tool: 'Write', input: { file_path: 7 } },
    { tool: 'Bash', input: {} },
    { tool: 'Bash', input: ['ls'] },
    { tool: 'WebFetch', input: {} },
    { tool: 'TaskStop', input: { nonsense: 1 } },
    { tool: 'Bash', input: { command: 'ls' }, rules: ['Bash(ls)'] },
    { tool: 'Bash', input: { command: 'ls' }, rules: 'none' },
    { tool: 'Bash', input: { command: 'ls' }, rules: { denied: ['Bash(ls)'] } },
    { tool: 'Bash', input: { command: 'ls' }, rules: { deny: [7] } },
  ];
  const input = lines.map((line) => JSON.stringify(line)).join('\n');
  const { out } = await cadre(['why', '--batch'], { place: newPlace(), input });
  const answers = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(answers.map(({ decision, by }, index) => [lines[index], decision, by])).toEqual(
    lines.map((line) => [line, 'deny', 'input']),
  );
});

test('cadre why judges a search by where its pattern leads, and a tool of a server as one', async () => {
  const lines = [
    { tool: 'Glob', input: { pattern: '../../*.txt', path: '.' } },
    { tool: 'mcp__files__write', input: { path: 'a.txt' } },
    { tool: 'Agent', input: { subagent_type: 'Explore' } },
    { tool: 'Read', input: { file_path: 'a.txt' } },
  ];
  const input = lines.map((line) => JSON.stringify(line)).join('\n');
  const { out } = await cadre(['why', '--batch'], { place: newPlace(), input });
  const answers = out.trim().split('\n');
  expect(answers.map((line) => JSON.parse(line).decision)).toEqual(['ask', 'ask', 'allow', 'allow']);
});

test('what a mode allows is said to be allowed by the mode', async () => {
  const place = newPlace();
  for (const command of ['ls && touch x', 'ls > out.txt', 'touch x; ls']) {
    const flags = ['--mode', 'acceptEdits', '--json', '--no-sandbox'];
    const { out } = await cadre(['why', `Bash(${command})`, ...flags], { place });
    expect(JSON.parse(out)).toMatchObject({
      decision: 'allow',
      by: 'mode',
      reason: 'acceptEdits allows edits in the workspace',
    });
  }
});

test('a reason says what could happen, in plain words', async () => {
  const reasons: [call: string, reason: string][] = [
    ['Bash(curl https://example.com)', 'curl is not on the list of read-only commands, and no rule allows'],
    ['Bash(npm ls)', 'npm ls is not on the list of read-only commands, and no rule allows'],
    ['Bash(git push)', 'git push is not on the list of read-only commands'],
    ['Bash(sort --compress-program=x a)', 'the option --compress-program=x may change files or run programs'],
    ['Bash(sed -n "w x" a)', 'may write files or run programs'],
    ['Bash(cat "$(cat a)")', 'the text does not say which file'],
  ];
  for (const [call, reason] of reasons) {
    const { out } = await cadre(['why', call, '--no-sandbox'], { place: newPlace() });
    expect([call, out]).toEqual([call, expect.stringContaining(reason)]);
    expect(out).not.toMatch(/not known/);
  }
});

test('of several commands in a line that are asked about each is named', async () => {
  const { out } = await cadre(
    ['why', 'Bash(git commit -m x && git push --force origin HEAD:main)', '--no-sandbox'],
    {
      place: newPlace(),
    },
  );
  const [head = ''] = out.split('\n');
  expect(head).toContain('git commit is not on the list of read-only commands');
  expect(head).toContain('also git push is not on the list of read-only commands');
});

test('a call that cannot be judged ends cadre why with 2', async () => {
  expect((await cadre(['why', 'Bsh(x)'], { place: newPlace() })).code).toBe(2);
});
