// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are shell's
import { expect } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { exploreRole } from '../../src/permissions/roles.ts';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { needs, temporaryDirectory } from '../support/index.ts';
import { type Case, judge } from './cases.ts';

const gitTest = needs('git');

/** A home with a key beside a repository, in which files of these names are; the workspace may be a part of it. */
function openGround(names: (top: string) => readonly string[], part = '.') {
  const top = resolveRealPath(temporaryDirectory().path);
  const repository = join(top, 'repo');
  const cwd = join(repository, part);
  const put = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  put(join(top, 'home/u/.ssh/id_rsa'), 'canary-key\n');
  put(join(top, 'home/u/.ssh/plain.txt'), 'canary-key\n');
  if (part !== '.') put(join(repository, '.env'), 'PW=canary-env\n');
  for (const name of ['a.ts', 'src/b.ts', 'd', ...names(top)]) put(join(cwd, name), 'text\n');
  const run = (command: string) =>
    spawnSync('bash', ['--norc', '-c', command], {
      ...{ cwd, encoding: 'utf8' },
      env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent' },
    }).stdout;
  run(
    `cd ${repository}; git init -q -b main; git add -f .; git -c user.name=a -c user.email=a@b commit -qm first`,
  );
  const judgeLine = (command: string, more: Partial<Case> = {}) =>
    judge({
      accesses: [{ kind: 'shell', command, cwd }],
      workspace: { cwd, directories: [], realPath: resolveRealPath, look: lookAtFiles([cwd]) },
      ...more,
    }).behaviour;
  return { cwd, run, judgeLine };
}

const plain = () => openGround(() => []);
/** Directories with a blank at the end, beside files without it: what follows is an absolute path once the name is split. */
const hostile = () =>
  openGround((top) => [
    `d ${top}/home/u/.ssh/id_rsa`,
    `d ${top}/home/u/.ssh/plain.txt`,
    `d ${top}/home/u/.ssh/i*`,
    'x .git/hooks/post-commit',
    'q ../home/u/ho*/.bashrc',
  ]);

/** Of two paths `git diff` compares the files themselves where one is outside. */
const showing = [
  'git diff -- $(find . -name id_rsa)',
  'git diff -- $(find . -name id_rsa | head -1)',
  'git diff -- `find . -name id_rsa`',
  'git diff -U0 -- $(find . -name id_rsa)',
  "git diff -- $(find . -name 'i[*]')",
  'find . -name plain.txt | xargs git diff --',
  "git ls-files -- '*plain.txt' | xargs git diff --",
  "git diff -- $(git ls-files -- '*plain.txt')",
  'x=$(find . -name id_rsa); git diff -- $x',
  'find . -name id_rsa | while read -r a; do git diff -- $a; done',
  "bash -c 'git diff -- $(find . -name id_rsa)'",
  "sh -c 'git diff -- $(find . -name id_rsa)'",
  'timeout 5 git diff -- $(find . -name id_rsa)',
  'git -C . diff -- $(find . -name id_rsa)',
];
const alike = [
  'git ls-files | xargs -n 2 git diff --',
  'git diff -- $(rg -l text)',
  'git diff -- $(fdfind id_rsa)',
  'git diff -- $(grep -rl text .)',
  'for f in */*; do git diff -- $f; done',
];

gitTest('git is not given paths outside by names that are split on their way', () => {
  const bad = hostile();
  for (const line of showing)
    expect([line, bad.run(line)]).toEqual([line, expect.stringContaining('canary-key')]);
  for (const line of [...showing, ...alike])
    for (const mode of ['default', 'acceptEdits', 'dontAsk', 'plan'] as const)
      expect([line, mode, bad.judgeLine(line, { mode })]).not.toEqual([line, mode, 'allow']);
  const good = plain();
  for (const line of [...showing, ...alike]) expect([line, good.judgeLine(line)]).toEqual([line, 'allow']);
});

gitTest('what comes in by a pipe may be two files of which git compares one outside', () => {
  const { judgeLine } = plain();
  for (const line of [
    'cat d | xargs git diff --',
    'echo */* | xargs git diff --',
    'git diff -- a.ts "$(cat d)"',
  ])
    expect([line, judgeLine(line)]).toEqual([line, 'ask']);
  expect(judgeLine('git diff "$(git merge-base HEAD main)" -- a.ts')).toBe('allow');
});

gitTest('a name that is split shows no credential of the repository around the workspace', () => {
  const ground = openGround(() => ['src/d ../*en*'], 'part');
  const lines = ["git log -p -- $(find src -name '*en*')", "git grep -e PW -- $(find src -name '*en*')"];
  for (const line of lines) {
    expect([line, ground.run(line)]).toEqual([line, expect.stringContaining('canary-env')]);
    expect([line, ground.judgeLine(line)]).toEqual([line, 'ask']);
  }
  expect(ground.judgeLine('git log -p -- src "$(cat d)"')).toBe('ask');
});

gitTest('a rule for a program that writes does not answer for names that are split on their way', () => {
  const allow = ['cp', 'tee', 'touch', 'rm'].map((name) => `Bash(${name}:*)`);
  const lines = [
    'for f in $(find . -name post-commit); do cp d $f; done',
    "tee $(find . -name '.bash*') < d",
    'cp d $(find . -name post-commit)',
    'touch $(ls)',
    'cp d -- $(git ls-files)',
    'rm $(find . -name post-commit)',
    'find . -name post-commit | while read -r f; do cp d $f; done',
    'for f in */*/*; do cp d $f; done',
  ];
  const [bad, good] = [hostile(), plain()];
  for (const line of lines) {
    expect([line, bad.judgeLine(line, { allow })]).toEqual([line, 'ask']);
    expect([line, good.judgeLine(line, { allow })]).toEqual([line, 'allow']);
  }
  bad.run(lines[0] ?? '');
  expect(bad.run('cat .git/hooks/post-commit')).toBe('text\n');
});

gitTest('words that are data list no directory outside, for an agent that only explores neither', () => {
  const lines = [
    'echo $(rg --files)',
    'printf "%s\\n" $(find . -type f)',
    'for f in $(find . -type f); do echo $f; done',
    'for f in $(find . -type f); do echo "$f"; done',
    'a=($(find .)); echo "${a[0]}"',
    'find . | while read -r f; do echo ${f%.ts}; done',
    'find . | while read -r f; do echo x$f; done',
    'for f in */*/*/*; do echo ${f%.ts}; done',
    'basename -a $(find .)',
    'git ls-files | sort | while read -r f; do echo $f; done',
    "git diff --name-only -- $(find . -name 'i[*]')",
    "git diff --stat -- $(find . -name 'i[*]')",
    "git diff --raw -- $(find . -name 'i[*]')",
  ];
  const [bad, good] = [hostile(), plain()];
  for (const line of lines) {
    expect([line, bad.judgeLine(line)]).toEqual([line, 'ask']);
    expect([line, bad.judgeLine(line, { role: exploreRole })]).toEqual([line, 'deny']);
    expect([line, bad.judgeLine(line, { deny: ['Read(other.dat)'] })]).toEqual([line, 'ask']);
    expect([line, good.judgeLine(line), good.judgeLine(line, { role: exploreRole })]).toEqual([
      ...[line, 'allow', 'allow'],
    ]);
  }
});

gitTest('names that stay whole are free, whatever is in them', () => {
  const { judgeLine } = openGround(() => ['a b.ts', 'c [1].md']);
  for (const line of [
    'find . -type f | while IFS= read -r f; do echo "$f"; done',
    'for f in *; do echo "$f"; done',
    'echo "$(ls)"',
    'ls | xargs echo',
    'for f in src/*.ts; do echo $f; done',
    'find src -name "*.ts" -print0 | xargs -0 git diff --',
  ])
    expect([line, judgeLine(line)]).toEqual([line, 'allow']);
});

gitTest('a name that the line itself makes is found by its searches', () => {
  const { judgeLine } = plain();
  const on = (line: string) => judgeLine(line, { mode: 'acceptEdits' });
  expect(on("mkdir -p 'q /etc/*'; echo $(find .)")).toBe('ask');
  expect(on('mkdir -p new; echo $(find .)')).toBe('allow');
});

gitTest('of a search that begins with an absolute path the blanks before it count too', () => {
  const { cwd, judgeLine } = openGround(() => ['x.ts'], 'my part');
  expect(judgeLine(`git diff -- $(find '${cwd}' -name x.ts)`)).toBe('ask');
  expect(judgeLine('git diff -- $(find . -name x.ts)')).toBe('allow');
});
