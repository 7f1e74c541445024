import { expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { needs, openPane } from '../support/index.ts';
import { cadre, environmentOf, newPlace } from './support.ts';

/** What bash offers for a half typed command line. */
async function offers(...words: string[]): Promise<string[]> {
  const { out } = await cadre(['completions', 'bash'], { place: newPlace() });
  const ask = `${out}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _cadre; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = spawnSync('bash', ['-c', ask, 'bash', 'cadre', ...words], { encoding: 'utf8' });
  return stdout.split('\n').filter(Boolean);
}

test('bash completes commands, commands of commands, options and their values', async () => {
  expect(await offers('workt')).toEqual(['worktree']);
  expect(await offers('key', 's')).toEqual(['set']);
  expect(await offers('worktree', 'la')).toEqual(['land']);
  expect(await offers('--output-format', '')).toEqual(['text', 'json', 'stream-json']);
  expect(await offers('doctor', '--f')).toEqual(['--fix']);
});

test('only options are offered as options, and a permission mode by its name', async () => {
  expect((await offers('-')).filter((name) => name.startsWith('-or'))).toEqual([]);
  expect(await offers('--permission-mode', 'p')).toEqual(['plan']);
  const { out } = await cadre(['completions', 'fish'], { place: newPlace() });
  expect(out).toMatch(/-l permission-mode -x -a 'default [^']*bypassPermissions'/);
  expect(out).not.toContain('-s or');
});

test('every shell that it names gets a script, another one an explanation', async () => {
  for (const shell of ['bash', 'zsh', 'fish'])
    expect(await cadre(['completions', shell], { place: newPlace() })).toMatchObject({ code: 0, err: '' });
  const other = await cadre(['completions', 'tcsh'], { place: newPlace() });
  expect(other).toMatchObject({ code: 2, out: '' });
  expect(other.err).toContain('bash, zsh, fish');
});

test('the shells that there are completions for are completed themselves', async () => {
  expect(await offers('completions', '')).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']));
});

needs('fish')('fish completes options also behind a value and behind a prompt', async () => {
  const place = newPlace();
  const { out } = await cadre(['completions', 'fish'], { place });
  const file = join(place.cwd, 'cadre.fish');
  writeFileSync(file, out);
  const fish = (line: string) =>
    spawnSync('fish', ['-N', '-c', `source ${file}; complete -C '${line}'`], {
      encoding: 'utf8',
      cwd: place.cwd,
      env: environmentOf({ place }),
    })
      .stdout.split('\n')
      .filter(Boolean)
      .map((row) => row.split('\t')[0]);
  expect(fish('cadre workt')).toEqual(['worktree']);
  expect(fish('cadre --model x --permission-m')).toEqual(['--permission-mode']);
  expect(fish('cadre -p hello --mod')).toEqual(['--model']);
  expect(fish('cadre --permission-mode plan --output-format ')).toEqual(['json', 'stream-json', 'text']);
  expect(fish('cadre completions ')).toEqual(['bash', 'fish', 'zsh']);
  expect(fish('cadre key ').toSorted()).toEqual(['list', 'remove', 'set']);
  expect(fish('cadre doctor --permission')).toEqual([]);
});

needs('zsh')('zsh completes the values of options', async () => {
  const place = newPlace();
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
  ] as const) {
    pane.type(typed);
    await pane.shows(`shell> ${typed}`);
    pane.press('Tab');
    await pane.shows(`shell> ${completed}`);
    pane.press('C-c');
    await pane.shows(/\nshell>$/);
  }
});
