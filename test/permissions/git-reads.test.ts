import { expect } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openCeiling } from '../../src/permissions/ceiling.ts';
import { decide } from '../../src/permissions/decide.ts';
import { exploreRole } from '../../src/permissions/roles.ts';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { neutralGitVariables } from '../../src/workspace/git/shell.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { needs, temporaryDirectory } from '../support/index.ts';
import { rule } from './cases.ts';
import { expectJudged } from './git-ground.ts';

const gitTest = needs('git');
const tracedTest = needs('strace');

interface Place {
  root: string;
  /** A file outside, that must not be shown. */
  secret: string;
  run(command: string, variables?: Record<string, string>): string;
  judge(command: string, allow?: string): string;
}

function openPlace(): Place {
  const { path } = temporaryDirectory();
  const root = join(path, 'own');
  const secret = join(path, 'secret');
  mkdirSync(join(root, 'd'), { recursive: true });
  writeFileSync(secret, 'token-of-the-user\n');
  const env = { PATH: process.env.PATH ?? '', HOME: '/nonexistent' };
  const run = (command: string, variables: Record<string, string> = {}) => {
    const end = spawnSync('bash', ['-c', command], {
      cwd: root,
      env: { ...env, ...variables },
      encoding: 'utf8',
    });
    return end.stdout + end.stderr;
  };
  writeFileSync(join(root, 'secret'), 'one\n');
  writeFileSync(join(root, 'd/secret'), 'two\n');
  run('git init -q && git add . && git -c user.name=a -c user.email=a@b commit -qm x');
  const look = lookAtFiles([root]);
  const workspace = {
    ...{ cwd: root, directories: [], home: '/nonexistent/.cadre', userHome: '/nonexistent' },
    ...{ realPath: resolveRealPath, look },
  };
  const judge = (command: string, allow?: string) => {
    const accesses = [{ kind: 'shell' as const, command, cwd: root }];
    const rules = allow === undefined ? [] : [rule(allow, 'allow')];
    return decide(openCeiling, exploreRole, 'default', rules, { tool: 'Bash', accesses, workspace })
      .behaviour;
  };
  return { root, secret, run, judge };
}

gitTest('G9 git in a repository whose work tree is elsewhere is asked about', () => {
  const place = openPlace();
  expect(place.judge('git diff')).toBe('allow');
  place.run('git config core.worktree ../..');
  // It would show a file that the repository never had.
  expect(place.run('git diff')).toContain('token-of-the-user');
  expectJudged(
    place,
    [
      'git diff',
      'git status',
      'git -C d diff',
      'cd d && git diff',
      'git log -p',
      'git grep x',
      'git blame a',
    ],
    'ask',
  );
  expect(place.judge('git diff', 'Bash(git diff:*)')).toBe('allow');
});

gitTest('G9 a directory that became a link is not searched by git without asking', () => {
  const place = openPlace();
  expect(place.judge('git grep token')).toBe('allow');
  rmSync(join(place.root, 'd'), { recursive: true });
  symlinkSync('..', join(place.root, 'd'));
  expect(place.run('git grep token')).toContain('token-of-the-user');
  expect(place.judge('git grep token')).toBe('ask');
  expect(place.judge('git grep --cached token')).toBe('allow');
});

gitTest(
  'G9 without a repository git compares directories, with all that is in them: that is asked about',
  () => {
    const place = openPlace();
    expect(place.judge('git diff secret d')).toBe('allow');
    rmSync(join(place.root, '.git'), { recursive: true });
    expect(place.judge('git diff secret d')).toBe('ask');
    expect(place.judge('git status')).toBe('allow');
  },
);

const naming: readonly (readonly [setting: string, command: string])[] = [
  ['core.excludesFile', 'git check-ignore -v token-of-the-user'],
  ['diff.orderFile', 'git diff HEAD'],
  ['core.attributesFile', 'git check-attr -a a'],
  ['mailmap.file', 'git shortlog -s HEAD'],
];

tracedTest('G9 a file that the settings of a repository name is not opened', async () => {
  for (const [setting, command] of naming) {
    const place = openPlace();
    place.run(`git config ${setting} ../secret; echo more >> secret`);
    const env = { PATH: process.env.PATH ?? '', HOME: '/nonexistent' };
    const variables = await neutralGitVariables([place.root], { env });
    const trace = `strace -f -e trace=openat ${command} 2>&1`;
    expect([setting, place.run(trace).includes('../secret"')]).toEqual([setting, true]);
    expect([setting, place.run(trace, variables).includes('../secret"')]).toEqual([setting, false]);
    expect([setting, place.run(command, variables)]).toEqual([setting, expect.not.stringContaining('token')]);
  }
});
