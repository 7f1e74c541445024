import { expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findPlace } from '../../src/commands/complete/find-place.ts';
import { listCommands } from '../../src/commands/table/commands.ts';
import { fakeProvider, say } from '../../src/testing/index.ts';
import { needs, openPane } from '../support/index.ts';
import { cadre, environmentOf, newPlace, type Place } from './support.ts';

/** What can follow these words, whatever the current one begins with. */
function listOffers(...words: string[]): string[] {
  return findPlace(words).choices.map(({ value }) => value);
}

/** What bash offers for a half typed command line. */
async function askBash(place: Place, command: string, ...words: string[]): Promise<string[]> {
  const { out } = await cadre(['completions', 'bash'], { place });
  const ask = `${out}\nCOMP_TYPE=9; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _cadre; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = spawnSync('bash', ['-c', ask, 'bash', command, ...words], {
    encoding: 'utf8',
    cwd: place.cwd,
    env: environmentOf({ place }),
  });
  return stdout.split('\n').filter(Boolean);
}

/** A place with an agent, a worktree and a session; some of their names mean something to a shell or a terminal. */
async function fillPlace(): Promise<{ place: Place; session: string }> {
  const place = newPlace();
  await using provider = await fakeProvider({ script: [say('Hello.')] });
  const { out } = await cadre(['-p', 'Greet the world', '--output-format', 'json'], { place, provider });
  const write = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  const agents = join(place.cwd, '.cadre', 'agents');
  write(
    join(agents, 'reviewer.md'),
    '---\nname: reviewer\ndescription: "Reads \\e[31mchanges"\n---\nReview.\n',
  );
  write(join(agents, 'evil.md'), '---\nname: "$(touch pwned)"\ndescription: Bad\n---\nBad.\n');
  write(join(place.home, 'teams', 'docs', 'team.json'), JSON.stringify(team));
  return { place, session: JSON.parse(out).session_id };
}

const team = {
  format: 1,
  name: 'docs',
  id: '0f0e0d0c-0b0a-4908-8706-050403020101',
  createdAt: '2026-01-01T00:00:00.000Z',
  leaderSession: '0f0e0d0c-0b0a-4908-8706-050403020100',
  cwd: '/work',
};

test('commands, their members, options and fixed values are completed', () => {
  expect(listOffers('')).toEqual(expect.arrayContaining(['worktree', 'doctor', 'man', 'help']));
  expect(listOffers('key', '')).toEqual(['set', 'list', 'remove', 'help']);
  expect(listOffers('worktree', 'merge', '--')).toContain('--onto');
  expect(listOffers('--output-format', '')).toEqual(['text', 'json', 'stream-json']);
  expect(listOffers('--permission-mode=')).toContain('plan');
  expect(listOffers('doctor', '')).toEqual(['--fix', '--json', '-h', '--help']);
  expect(listOffers('completions', '')).toEqual(['bash', 'zsh', 'fish']);
});

test('a value that is not an option is not taken for a command, and a prompt is not completed', () => {
  expect(listOffers('--model', 'worktree', '')).toContain('worktree');
  expect(listOffers('fix the test', '')).toEqual([]);
  expect(listOffers('-p', '')).toEqual([]);
  expect(listOffers('--', '')).toEqual([]);
  expect(listOffers('-r', '--mo')).toContain('--model');
});

test('"cadre help" is completed with commands and topics, and below a command with its members', () => {
  expect(listOffers('help', '')).toEqual(expect.arrayContaining(['worktree', 'worktrees', 'permissions']));
  expect(listOffers('help', 'worktree', '')).toContain('land');
  expect(listOffers('worktree', 'help', '')).toContain('land');
});

test('arguments and options know what they are about', () => {
  const kinds: [string[], string | undefined][] = [
    [['--model', ''], 'model'],
    [['-r', ''], 'session'],
    [['--add-dir', ''], 'directory'],
    [['--settings=', ''], undefined],
    [['--settings='], 'file'],
    [['worktree', 'land', 'one', ''], 'worktree'],
    [['worktree', 'return', 'one', ''], undefined],
    [['agents', ''], undefined],
    [['agents', 'show', ''], 'agent'],
    [['run', ''], 'workflow'],
    [['run', 'review', 'src', ''], 'file'],
    [['run', '--resume', ''], 'run'],
    [['mcp', 'test', ''], 'server'],
    [['man', ''], 'page'],
    [['mail', 'send', ''], 'member'],
    [['mail', 'send', 'ada', ''], undefined],
  ];
  const found = kinds.map(([words]): (typeof kinds)[number] => [words, findPlace(words).kind]);
  expect(found).toEqual(kinds);
  expect(findPlace(['board', 'show', '--team', 'docs', '']).given.get('--team')).toBe('docs');
});

test('no command completes an argument that it does not take', () => {
  for (const { path, entry } of listCommands()) {
    const taken = (entry.takes ?? '').split(' ').filter(Boolean).length;
    expect([path, (entry.completes?.length ?? 0) <= taken]).toEqual([path, true]);
  }
});

test('bash completes sessions, agents and teams by what is stored, and nothing that a shell would run', async () => {
  const { place, session } = await fillPlace();
  expect(await askBash(place, 'cadre', '--resume', '')).toEqual([session]);
  expect(await askBash(place, 'cadre', '--agent', 'rev')).toEqual(['reviewer']);
  const agents = await askBash(place, 'cadre', 'agents', 'show', '');
  expect(agents).toContain('Explore');
  expect(agents.filter((name) => /[$() ]/.test(name))).toEqual([]);
  expect(await askBash(place, 'cadre', 'team', 'show', '')).toEqual(['docs']);
  expect(existsSync(join(place.cwd, 'pwned'))).toBe(false);
});

test('bash leaves the part of a word before = and : alone, and lists what names mean', async () => {
  const { place } = await fillPlace();
  expect(await askBash(place, 'cadre', '--permission-mode', '=', 'p')).toEqual(['plan']);
  const models = JSON.stringify({
    version: 1,
    models: [
      { name: 'ollama/qwen3:8b', about: '' },
      { name: 'ollama/qwen3:30b', about: '' },
    ],
  });
  mkdirSync(join(place.home, 'cache'), { recursive: true });
  writeFileSync(join(place.home, 'cache', 'models.json'), models);
  expect(await askBash(place, 'cadre', '--model', 'ollama/qwen3', ':', '3')).toEqual(['30b']);
  expect(await askBash(place, 'cadre', '--model', 'qw')).toEqual(['qwen3:8b', 'qwen3:30b']);
  const list = await cadre(['--complete-words', 'bash', '63', 'worktree', 'd'], { place });
  expect(list.out).toMatch(/^words\ndiff +show the changes/);
});

test('a program of the directory with our name is not asked', async () => {
  const place = newPlace();
  writeFileSync(join(place.cwd, 'cadre'), '#!/bin/sh\ntouch ran\n', { mode: 0o755 });
  expect(await askBash(place, './cadre', 'workt')).toEqual(['worktree']);
  expect(existsSync(join(place.cwd, 'ran'))).toBe(false);
});

test('completing writes nothing, also where nothing is stored yet', async () => {
  const place = newPlace();
  for (const words of [
    ['--agent', ''],
    ['-r', ''],
    ['--model', ''],
    ['mcp', 'test', ''],
    ['board', 'show', ''],
  ])
    expect((await cadre(['--complete-words', 'fish', '-', ...words, ''], { place })).err).toBe('');
  expect(existsSync(place.home)).toBe(false);
});

test('every shell that it names gets a script, another one an explanation', async () => {
  for (const shell of ['bash', 'zsh', 'fish'])
    expect(await cadre(['completions', shell], { place: newPlace() })).toMatchObject({ code: 0, err: '' });
  const other = await cadre(['completions', 'tcsh'], { place: newPlace() });
  expect(other).toMatchObject({ code: 2, out: '' });
  expect(other.err).toContain('bash, zsh, fish');
});

needs('fish')(
  'fish completes options also behind a value, and stored values with what they mean',
  async () => {
    const { place, session } = await fillPlace();
    const { out } = await cadre(['completions', 'fish'], { place });
    const file = join(place.cwd, 'cadre.fish');
    writeFileSync(file, out);
    const listRows = (line: string) =>
      spawnSync('fish', ['-N', '-c', `source ${file}; complete -C '${line}'`], {
        encoding: 'utf8',
        cwd: place.cwd,
        env: environmentOf({ place }),
      })
        .stdout.split('\n')
        .filter(Boolean);
    const fish = (line: string) => listRows(line).map((row) => row.split('\t')[0]);
    expect(fish('cadre workt')).toEqual(['worktree']);
    expect(fish('cadre --model x --permission-m')).toEqual(['--permission-mode']);
    expect(fish('cadre -p hello --mod')).toEqual(['--model']);
    expect(fish('cadre --permission-mode plan --output-format ').toSorted()).toEqual([
      ...['json', 'stream-json', 'text'],
    ]);
    expect(fish('cadre doctor --permission')).toEqual([]);
    expect(listRows('cadre --resume ')).toEqual([`${session}\tGreet the world`]);
    expect(fish('cadre --agent=rev')).toEqual(['--agent=reviewer']);
    expect(fish('cadre --settings=cadre.f')).toEqual(['--settings=cadre.fish']);
    expect(fish('cadre trust .ca')).toEqual(['.cadre/']);
  },
);

needs('zsh')('zsh completes the values of options', async () => {
  const { place, session } = await fillPlace();
  const { out } = await cadre(['completions', 'zsh'], { place });
  const file = join(place.cwd, 'cadre.zsh');
  writeFileSync(file, out);
  const pane = openPane({
    command: ['zsh', '-f', '-i'],
    cwd: place.cwd,
    env: { ...environmentOf({ place }), PS1: 'shell> ' },
  });
  pane.type(`autoload -U compinit && compinit -D -u && source ${file} && clear && echo read\r`);
  await pane.shows(/^read\nshell>/m);
  for (const [typed, completed] of [
    ['cadre --permission-mode acc', 'cadre --permission-mode acceptEdits'],
    ['cadre --output-format st', 'cadre --output-format stream-json'],
    ['cadre completions z', 'cadre completions zsh'],
    ['cadre worktree la', 'cadre worktree land'],
    ['cadre --settings cadre.z', 'cadre --settings cadre.zsh'],
    ['cadre --agent=rev', 'cadre --agent=reviewer'],
    [`cadre -r ${session.slice(0, 4)}`, `cadre -r ${session}`],
  ] as const) {
    pane.type(typed);
    await pane.shows(`shell> ${typed}`);
    pane.press('Tab');
    await pane.shows(`shell> ${completed}`);
    // Not ctrl-c: zsh may still be in its completion, and a signal would end only that.
    pane.press('C-u');
    await pane.shows(/\nshell>$/);
  }
});
