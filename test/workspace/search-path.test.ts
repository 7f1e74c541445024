import { describe, expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { git } from '../../src/workspace/git/git.ts';
import { findOwnProgram, programPath, workPlaces } from '../../src/workspace/search-path.ts';
import { needs, temporaryDirectory } from '../support/index.ts';

const system = '/usr/local/bin:/usr/bin:/bin';

interface Ground {
  path: string;
  home: string;
  main: string;
  worktree: string;
  /** A program of that name that leaves a trace, in a directory that is returned. */
  plant(directory: string, name?: string): string;
  ran(): boolean;
}

function ground(): Ground {
  const { path } = temporaryDirectory();
  const [home, main, worktree] = ['user', 'user/src/main', 'user/elsewhere/tree'].map((name) =>
    join(path, name),
  ) as [string, string, string];
  for (const one of [main, dirname(worktree)]) mkdirSync(one, { recursive: true });
  const run = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], { cwd: main });
  run('init', '-q');
  run('commit', '-q', '--allow-empty', '-m', 'x');
  run('worktree', 'add', '-q', worktree);
  return {
    ...{ path, home, main, worktree },
    plant(directory, name = 'git') {
      mkdirSync(directory, { recursive: true });
      writeFileSync(join(directory, name), `#!/bin/sh\ntouch ${path}/ran\n`, { mode: 0o755 });
      return directory;
    },
    ran: () => existsSync(join(path, 'ran')),
  };
}

describe('the programs that Cadre itself starts', () => {
  const gitTest = needs('git');
  const places: Record<string, (at: Ground) => string> = {
    "the main checkout's dependencies, from a worktree": ({ main }) => join(main, 'node_modules/.bin'),
    'a directory of the main checkout, from a worktree': ({ main }) => join(main, 'bin'),
    'the worktree itself': ({ worktree }) => join(worktree, 'bin'),
    "another project's dependencies": ({ home }) => join(home, 'other/node_modules/.bin'),
    'a directory of another repository': ({ home }) => {
      execFileSync('git', ['init', '-q', join(home, 'other')]);
      return join(home, 'other/tools');
    },
    'a directory that everybody can write': ({ path }) => join(path, 'open'),
  };
  for (const [name, placeFor] of Object.entries(places))
    gitTest(`git is not found in ${name}`, async () => {
      const at = ground();
      const place = at.plant(placeFor(at));
      if (place.endsWith('open')) chmodSync(place, 0o777);
      const env = { PATH: [place, system].join(delimiter), HOME: at.home };
      expect((await git(['status'], { cwd: at.worktree, env })).ok).toBe(true);
      expect(at.ran()).toBe(false);
    });

  gitTest('git is not found through a link into the workspace, nor by a relative place', async () => {
    const at = ground();
    at.plant(join(at.main, 'tools'));
    const own = join(at.home, 'bin');
    mkdirSync(own);
    symlinkSync(join(at.main, 'tools/git'), join(own, 'git'));
    const env = { PATH: [own, 'tools', '', '.', system].join(delimiter), HOME: at.home };
    expect((await git(['status'], { cwd: at.main, env })).ok).toBe(true);
    expect(at.ran()).toBe(false);
  });

  gitTest('nothing runs where git is nowhere else', async () => {
    const at = ground();
    const PATH = at.plant(join(at.main, 'node_modules/.bin'));
    const said = await git(['status'], { cwd: at.worktree, env: { PATH, HOME: at.home } });
    expect(said).toMatchObject({
      ok: false,
      problem: { message: expect.stringContaining('no git was found') },
    });
    expect(at.ran()).toBe(false);
  });

  gitTest('directories of the user are searched, those of version managers included', () => {
    const at = ground();
    execFileSync('git', ['init', '-q', join(at.home, '.nvm')]);
    const good = [join(at.home, 'bin'), join(at.home, '.local/bin'), join(at.home, '.nvm/versions/bin')];
    for (const one of good) mkdirSync(one, { recursive: true });
    const path = [...good, '/usr/bin'].join(delimiter);
    expect(programPath(path, at.main, at.home)).toBe(path);
    expect(
      findOwnProgram('npm', { PATH: at.plant(good[0] ?? '', 'npm'), HOME: at.home }, at.main)?.file,
    ).toBe(join(at.home, 'bin/npm'));
  });

  gitTest('a home that is a repository keeps its own places, but not those of a package in it', () => {
    const at = ground();
    execFileSync('git', ['init', '-q', at.home]);
    const [own, package_] = [join(at.home, 'bin'), join(at.home, 'node_modules/.bin')];
    for (const one of [own, package_]) mkdirSync(one, { recursive: true });
    expect(programPath([package_, own].join(delimiter), at.home, at.home)).toBe(own);
  });
});

test('the places of a worktree are all of its repository', () => {
  const at = ground();
  const inner = join(at.worktree, 'src');
  mkdirSync(inner);
  expect(new Set(workPlaces(inner))).toEqual(new Set([inner, at.worktree, at.main]));
  expect(new Set(workPlaces(at.main))).toEqual(new Set([at.main, at.worktree]));
});
