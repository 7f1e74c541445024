import { describe, expect } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { needs } from '../../support/index.ts';
import { put, type Room, room, run } from './support.ts';

const test = needs('bwrap');

const identity = {
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@b',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@b',
};

/** Outside the sandbox, as the user. */
function outside({ cwd, userHome }: Room, script: string): string {
  const env = { PATH: process.env.PATH ?? '', HOME: userHome, ...identity };
  const { status, stderr, stdout } = spawnSync('/bin/bash', ['-ec', script], { cwd, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

/** A repository whose branches have other workflows. */
function branches(place = '.'): Room {
  const at = room();
  outside(
    at,
    `mkdir -p ${place}; cd ${place}; git init -qb main; mkdir -p .github/workflows
    echo a > .github/workflows/ci.yml; echo same > .github/workflows/same.yml; echo 1 > f; git add -A; git commit -qm i
    git switch -qc other; echo b > .github/workflows/ci.yml; echo n > .github/workflows/new.yml; echo 2 > f; git add -A
    git commit -qm o; git switch -qc without main; git rm -q .github/workflows/ci.yml; git commit -qm w
    git switch -qc editor main; mkdir .vscode; echo e > .vscode/tasks.json; git add -A; git commit -qm e; git switch -q main`,
  );
  return at;
}

const half = 'do not have the content that git checked out';

describe('a switch of branches that leaves protected files behind', () => {
  for (const command of [
    'git checkout other',
    'git switch other',
    'git switch --detach other',
    'git checkout -q other 2> /dev/null',
    'git switch other > /dev/null 2>&1; true',
    'git checkout -f other',
    'git checkout other -- .',
    'git checkout -qb mine other',
  ])
    test(`names them: ${command}`, async () => {
      const at = branches();
      const said = (await run(at, command)).notes.join('\n');
      expect(said).toContain(half);
      expect(said).toContain('git checkout -- .github/workflows/ci.yml .github/workflows/new.yml');
      expect(said).not.toContain('same.yml');
      expect(at.notices.join()).toContain(half);
      outside(at, 'git checkout -- .github/workflows/ci.yml .github/workflows/new.yml');
      expect(outside(at, 'git diff --name-only')).toBe('');
    });

  test('names them in a repository below', async () => {
    const { notes } = await run(branches('g'), 'cd g && git checkout other');
    expect(notes.join()).toContain(half);
    expect(notes.join()).toContain('g/.github/workflows/ci.yml');
  });

  test('says which are protected, although git succeeds', async () => {
    const { code, notes } = await run(branches(), 'git checkout other');
    expect(code).toBe(0);
    expect(notes.join()).toMatch(
      /It ran in a sandbox, where \S+ci\.yml, \S+new\.yml are protected and read-only/,
    );
  });

  test('names those that were taken away', async () => {
    const { code, notes } = await run(branches(), 'git switch -q editor');
    expect([code, notes.join()]).toEqual([0, expect.stringContaining('git checkout -- .vscode/tasks.json')]);
  });

  test('says which could not be removed', async () => {
    const { code, notes } = await run(branches(), 'git switch -q without');
    expect([code, notes.join()]).toEqual([0, expect.stringContaining('ci.yml is protected and read-only')]);
  });
});

describe('nothing is said about files left behind', () => {
  test('where the user changed a protected file that both branches have', async () => {
    const at = branches();
    outside(at, 'git branch same; git switch -q same; echo 3 > f; git commit -qam f; git switch -q main');
    writeFileSync(join(at.cwd, '.github/workflows/ci.yml'), 'mine');
    expect(await run(at, 'git switch -q same')).toMatchObject({ code: 0, notes: [] });
  });

  for (const command of [
    'git switch -qc new',
    'git reset -q HEAD',
    'git rm -q --cached f',
    'git switch -q main',
  ])
    test(command, async () => {
      expect((await run(branches(), command)).notes).toEqual([]);
    });

  test('where the line ends of the work tree are others', async () => {
    const at = branches();
    put(at, { '.gitattributes': '*.yml text eol=crlf\n' });
    outside(
      at,
      'git add -A; git commit -qm c; rm -r .github; git checkout -q -- .; git branch x; git switch -qc y; echo > z',
    );
    outside(at, 'git add z; git commit -qm z');
    expect((await run(at, 'git switch -q x')).notes).toEqual([]);
  });
});

describe('git that fails on a protected path names it', () => {
  for (const command of [
    'git merge -q other',
    'git rebase -q other',
    'git cherry-pick other',
    'git reset -q --hard other',
    'git restore -s other .',
    'git pull -q . other',
    'git apply p',
  ])
    test(command, async () => {
      const at = branches();
      outside(at, 'git diff main other > p');
      const given =
        'export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b';
      const { code, notes } = await run(at, `${given}; ${command}`);
      expect(code).not.toBe(0);
      expect(notes.join()).toMatch(/ci\.yml(?:, \S+new\.yml)? (?:is|are) protected and read-only/);
      expect(notes.join()).not.toContain('there is no network');
    });
});
