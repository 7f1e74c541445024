import { expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { cadre, newPlace } from './support.ts';

/** What bash offers for a half typed command line. */
async function offers(...words: string[]): Promise<string[]> {
  const { out } = await cadre(['completions', 'bash'], { place: newPlace() });
  const ask = `${out}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _cadre; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = spawnSync('bash', ['-c', ask, 'bash', 'cadre', ...words], { encoding: 'utf8' });
  return stdout.split('\n').filter(Boolean);
}

test('bash completes commands, commands of commands, options and their values', async () => {
  expect(await offers('wo')).toEqual(['worktree']);
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
