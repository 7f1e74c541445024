import { expect, test } from 'bun:test';
import { findMistyped } from '../../src/commands/mistyped.ts';
import { fakeProvider, say } from '../../src/testing/index.ts';
import { needs, openPane } from '../support/index.ts';
import { cadre, environmentOf, newPlace, program } from './support.ts';

for (const [typed, meant] of [
  ['docter', 'doctor'],
  ['session', 'sessions'],
  ['task', 'tasks'],
  ['modles', 'models'],
] as const)
  test(`"cadre ${typed}" asks whether "${meant}" was meant, and sends nothing`, async () => {
    await using provider = await fakeProvider({ script: [] });
    const { code, err } = await cadre([typed], { place: newPlace(), provider });
    expect(code).toBe(2);
    expect(err).toContain(`"${typed}" is not a command. Did you mean "cadre ${meant}"?`);
    expect(err).toContain(`To send it as a prompt: cadre -- ${typed}`);
    expect(provider.requests).toEqual([]);
  });

test('real prompts are sent: several words, other words, after -- and with -p', async () => {
  for (const words of [['docter this'], ['commit'], ['post'], ['--', 'docter'], ['-p', 'docter']]) {
    const { err } = await cadre(words, { place: newPlace() });
    expect([words, err.includes('is not a command')]).toEqual([words, false]);
  }
});

test('"cadre help" shows the help', async () => {
  const { code, out } = await cadre(['help'], { place: newPlace() });
  expect([code, out.startsWith('Usage: cadre')]).toEqual([0, true]);
});

test('"cadre help why" shows the help of that command, and of one that does not exist says so', async () => {
  const place = newPlace();
  const why = await cadre(['help', 'why'], { place });
  expect([why.code, why.out.startsWith('Usage: cadre why')]).toEqual([0, true]);
  const list = await cadre(['help', 'tasks', 'list'], { place });
  expect([list.code, list.out.startsWith('Usage: cadre tasks list')]).toEqual([0, true]);
  const wrong = await cadre(['help', 'wyh'], { place });
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('Did you mean "why"?')]);
});

test('a mistyped command with words behind it is named; several words that are none are one prompt too many', async () => {
  const { code, err } = await cadre(['sesions', 'list'], { place: newPlace() });
  expect([code, err]).toEqual([2, expect.stringContaining('Did you mean "cadre sessions"?')]);
  const words = await cadre(['fix', 'it'], { place: newPlace() });
  expect([words.code, words.err]).toEqual([2, expect.stringContaining('too many arguments')]);
});

test('the help of a group shows the options of what it does by itself', async () => {
  const { out } = await cadre(['tasks', '--help'], { place: newPlace() });
  expect(out).toMatch(/Without a command, tasks list runs:[\s\S]*--all/);
});

test('a mistyped command is found behind flags and before its own, and members of commands too', () => {
  const find = (line: string) => findMistyped(line.split(' '));
  expect(find('--model opus sesions --all')).toMatchObject({ word: 'sesions', at: 2, meant: 'sessions' });
  expect(find('agnets list')).toMatchObject({ parent: 'cadre', meant: 'agents', isPrompt: true });
  expect(find('worktree lnad fix')).toMatchObject({
    parent: 'cadre worktree',
    meant: 'land',
    isPrompt: false,
  });
  expect(find('worktree frobnicate')).toMatchObject({ meant: undefined });
  for (const line of [
    '--model docter',
    'worktree land x',
    'worktree --all',
    'why docter',
    'sesions -p',
    'help wroktree',
  ])
    expect([line, find(line)]).toEqual([line, undefined]);
});

test('a member that does not exist is refused with those that do', async () => {
  const { code, err } = await cadre(['worktree', 'frobnicate'], { place: newPlace() });
  expect([code, err]).toEqual([
    2,
    expect.stringContaining('"frobnicate" is not a command of cadre worktree.'),
  ]);
  expect(err).toContain('Commands: list, diff, forecast, land, merge, ');
});

needs('tmux')('at a terminal a mistyped command is asked about: run, send or leave', async () => {
  const place = newPlace();
  await using provider = await fakeProvider({ script: [say('Take care.')] });
  const env = { ...environmentOf({ place, provider }), PS1: 'shell> ' };
  const pane = openPane({ command: ['bash', '--norc', '-i'], cwd: place.cwd, env });
  await pane.shows(/shell>$/);
  pane.type(`${program} sesions --all\r`);
  await pane.shows('cadre sessions --all [y: run it, p: send it as a prompt, n]');
  pane.type('y\r');
  await pane.shows('No sessions yet.');
  pane.type(`${program} docter; echo code $?\r`);
  await pane.shows('"docter" is not a command. Did you mean "cadre doctor"?');
  pane.type('\r');
  await pane.shows('code 2');
  expect(provider.requests).toEqual([]);
});
