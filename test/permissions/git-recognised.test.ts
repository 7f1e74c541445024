import { expect } from 'bun:test';
import { chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { needs } from '../support/index.ts';
import { type Case, judge } from './cases.ts';
import { openGitGround } from './git-ground.ts';

const gitTest = needs('git');
const refusing = { deny: ['Read(.env)'] };

/** Data that git passes over, or does not use, each below a checkout's own `.git`. */
const broken: Readonly<Record<string, (git: string) => void>> = {
  'an empty directory': (git) => {
    rmSync(git, { recursive: true });
    mkdirSync(git);
  },
  'a head that is not one': (git) => writeFileSync(join(git, 'HEAD'), 'garbage\n'),
  'a head with too many blanks': (git) =>
    writeFileSync(join(git, 'HEAD'), `ref:${' '.repeat(300)}refs/heads/main\n`),
  'no head': (git) => rmSync(join(git, 'HEAD')),
  'no objects': (git) => rmSync(join(git, 'objects'), { recursive: true }),
  'no references': (git) => rmSync(join(git, 'refs'), { recursive: true }),
};

for (const [name, spoil] of Object.entries(broken))
  gitTest(`git goes further up where the nearest repository is broken, so it is asked about: ${name}`, () => {
    const ground = openGitGround({ 'a.txt': 'a\n' });
    ground.run('mkdir -p v/n && cd v && git init -q && echo one > f.txt && git add . && git commit -qm x');
    ground.run('cd v/n && git init -q && echo two > g.txt');
    expect(ground.judge('git -C v/n status')).toBe('allow allow');
    spoil(join(ground.root, 'v/n/.git'));
    expect(ground.run('git -C v/n rev-parse --show-toplevel')).toBe(`${join(ground.root, 'v')}\n`);
    for (const line of ['git -C v/n diff', 'cd v/n && git blame g.txt', 'git -C v/n grep one -- :/'])
      expect(`${line}: ${ground.judge(line)}`).toStartWith(`${line}: ask`);
  });

const unused: Readonly<Record<string, (ground: { root: string; run(line: string): string }) => void>> = {
  'a head that is not one': ({ root }) => writeFileSync(join(root, '.git/HEAD'), 'garbage\n'),
  'a later format': ({ run }) => void run('git config core.repositoryformatversion 99'),
  'an extension that is not known': ({ run }) =>
    void run('git config core.repositoryformatversion 1; git config extensions.foo x'),
  'no references': ({ root }) => rmSync(join(root, '.git/refs'), { recursive: true }),
};

for (const [name, spoil] of Object.entries(unused))
  gitTest(`without a repository that git uses a comparison is one of any files: ${name}`, () => {
    const ground = openGitGround({ 'a.txt': 'a\n', 'sub/b.txt': 'b\n' });
    ground.put('.env', 'KEY=secret\n');
    expect(ground.judge('git diff -- sub .', refusing)).toBe('allow allow');
    spoil(ground);
    expect(ground.run('git diff -- sub .')).toContain('KEY=secret');
    expect(ground.judge('git diff -- sub .', refusing)).not.toContain('allow');
    expect(ground.judge('git diff -- sub .', { ...refusing, allow: ['Bash(git diff:*)'] })).not.toContain(
      'allow',
    );
  });

gitTest("another user's repository is not used, unless the settings say so", () => {
  // Nobody else can give files away.
  if (process.getuid?.() !== 0) return;
  const ground = openGitGround({ 'a.txt': 'a\n', 'sub/b.txt': 'b\n' });
  ground.put('.env', 'KEY=secret\n');
  for (const path of [ground.root, join(ground.root, '.git')]) chownSync(path, 65534, 65534);
  expect(ground.run('git diff -- sub .')).toContain('KEY=secret');
  expect(ground.judge('git diff -- sub .', refusing)).not.toContain('allow');
  const home = dirname(ground.root);
  writeFileSync(join(home, '.gitconfig'), `[safe]\n\tdirectory = ${ground.root}\n`);
  const look = lookAtFiles([ground.root], undefined, { ...ground.env, HOME: home });
  const workspace = { cwd: ground.root, directories: [], userHome: home, realPath: resolveRealPath, look };
  const one: Case = {
    accesses: [{ kind: 'shell', command: 'git diff -- sub .', cwd: ground.root }],
    workspace,
    ...refusing,
  };
  expect(judge(one).behaviour).toBe('allow');
});
