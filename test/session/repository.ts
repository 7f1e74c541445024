import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Place, place } from './support.ts';

/** What git prints, whoever runs the tests. */
export function git(cwd: string, ...args: string[]): string {
  const { stdout, stderr, status } = spawnSync('git', args, {
    cwd,
    encoding: 'utf8',
    env: {
      PATH: process.env.PATH,
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_AUTHOR_NAME: 'T',
      GIT_AUTHOR_EMAIL: 't@example.invalid',
      GIT_COMMITTER_NAME: 'T',
      GIT_COMMITTER_EMAIL: 't@example.invalid',
    },
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

/** A repository with one file in one commit, and a user whom git knows. */
export function repository(): Place {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  mkdirSync(at.home, { recursive: true });
  writeFileSync(join(at.cwd, 'a.txt'), 'one\n');
  writeFileSync(join(at.home, '..', '.gitconfig'), '[user]\n\tname = T\n\temail = t@example.invalid\n');
  git(at.cwd, 'init', '--quiet', '--initial-branch=main');
  git(at.cwd, 'add', '--all');
  git(at.cwd, 'commit', '--quiet', '--message=Start');
  return at;
}
