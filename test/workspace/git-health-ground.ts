import { expect } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GitHealth } from '../../src/workspace/git/health.ts';
import { temporaryDirectory } from '../support/index.ts';

const identity = ['-c', 'user.name=T', '-c', 'user.email=t@example.invalid', '-c', 'init.defaultBranch=main'];

/** A repository with three commits and a second branch, as it was before a command. */
export function repository() {
  const { path } = temporaryDirectory();
  const root = join(path, 'work');
  mkdirSync(root);
  const git = (...args: string[]) => {
    const ended = Bun.spawnSync(['git', ...identity, ...args], { cwd: root });
    if (!ended.success) throw new Error(`git ${args.join(' ')}: ${ended.stderr}`);
    return ended.stdout.toString().trim();
  };
  git('init', '-q');
  for (const name of ['a', 'b', 'c']) {
    writeFileSync(join(root, name), `content of ${name}\n`);
    git('add', '-A');
    git('commit', '-qm', name);
  }
  git('branch', 'other');
  const health = new GitHealth();
  const options = { env: { PATH: process.env.PATH ?? '', HOME: path } };
  /** What is said after a shell command. */
  const after = async (command: string) => {
    health.look([root]);
    const ended = Bun.spawnSync(['bash', '-c', command], {
      cwd: root,
      env: {
        ...process.env,
        HOME: path,
        GIT_AUTHOR_NAME: 'T',
        GIT_AUTHOR_EMAIL: 't',
        GIT_COMMITTER_NAME: 'T',
        GIT_COMMITTER_EMAIL: 't',
      },
    });
    expect([command, ended.exitCode]).toEqual([command, 0]);
    return health.compare(options);
  };
  return { path, root, git, after };
}
