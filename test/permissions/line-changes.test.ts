import { expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { openRealPaths, resolveRealPath } from '../../src/workspace/real-path.ts';
import { temporaryDirectory } from '../support/index.ts';
import { type Case, judge } from './cases.ts';

/** A cloned repository with links that stay inside as long as `s` is a link. */
function clonedWorkspace() {
  const root = join(resolveRealPath(temporaryDirectory().path), 'repo');
  for (const path of ['deep/er', 'src', 'public', 'dist', '.github/workflows', 'e2', 'a/b'])
    mkdirSync(join(root, path), { recursive: true });
  for (const path of ['src/a.c', 'src/a.ts', 'public/x.html', 'f', 'a/x', '.github/workflows/ci.yml'])
    writeFileSync(join(root, path), 'x\n');
  writeFileSync(join(root, '../secret'), 'secret\n');
  symlinkSync('deep/er', join(root, 's'));
  symlinkSync('s/../../secret', join(root, 'lk'));
  symlinkSync('s/../../out.txt', join(root, 'lkw'));
  symlinkSync('src/a.ts', join(root, 'inner.ts'));
  for (const path of ['.', 'e2']) execFileSync('git', ['init', '-q', join(root, path)]);
  const workspace = {
    ...{ cwd: root, directories: [], realPath: resolveRealPath, openPaths: openRealPaths },
    look: lookAtFiles([root]),
  };
  const on = (command: string, more: Partial<Case> = {}) =>
    judge({
      accesses: [{ kind: 'shell', command, cwd: root }],
      mode: 'acceptEdits',
      workspace,
      ...more,
    }).behaviour;
  return { root, on };
}

function expectAll(on: (command: string) => string, behaviour: string, commands: readonly string[]): void {
  expect(commands.map((command) => [command, on(command)])).toEqual(
    commands.map((command) => [command, behaviour]),
  );
}

test('a line that moves the directory it is in is asked about where it uses a file after that', () => {
  const { on } = clonedWorkspace();
  expectAll(on, 'ask', [
    'mkdir -p a/b && cd a/b && mv ../b ../../c && cat ../../secret',
    'cd a/b && mv ../b ../../c && echo pwned > ../../out',
    'cd a/b && mv ../b ../../.github/b && echo evil > ../workflows/ci.yml',
    'cd a/b && mv ../b ../../c && git -C ../e2 diff',
    'cd a/b && mv ../b ../../c && cd .. && cat ../secret',
    'cd a/b && mv ../../a ../../c && ls ../..',
    'cd a/b && mv ../b ../../.github && mkdir workflows && echo evil > workflows/ci.yml',
    'cd a/b && (mv ../b ../../c); cat ../x',
    'cd a/b && { mv ../b ../../c & wait; cat ../../secret; }',
    'cd a/b && for i in 1 2; do cat ../../secret; mv ../b ../../c; done',
    "cd a/b && bash -c 'mv ../b ../../c; cat ../../secret'",
    'cd a/b && mv ../b ../../c | cat ../x',
    'cd a/b && (cd ../.. && mv a/b c) && cat ../x',
    '(cd a/b && cat ../x) & mv a/b c',
  ]);
});

test('names that a line makes are seen by what it searches later', () => {
  const { on } = clonedWorkspace();
  const make = "mkdir -p 'a /etc' && touch 'a /etc/shadow'";
  expectAll(on, 'ask', [
    `${make} && cat $(find . -type f)`,
    `${make} && find . -type f | xargs cat`,
    `${make} && for f in $(find . -type f); do cat $f; done`,
    `${make} && rg --files | xargs cat`,
    `${make}; f=$(find . -type f); cat $f`,
    `echo x > 'a /etc'; find . -type f | xargs cat`,
    `cp f 'a /etc' && find . -type f | xargs cat`,
    `mv f 'a /etc' && find . -type f | xargs cat`,
    `echo x | tee 'a /etc' && find . -type f | xargs cat`,
    `for i in 1 2; do find . -type f | xargs cat; touch 'a /etc'; done`,
    `find . -type f | xargs cat & touch 'a /etc'`,
    `cat <(find . -type f | xargs cat); touch 'a /etc'`,
    'touch ./-rf && rm *',
  ]);
});

test('a link whose way passes a name that the line takes away is asked about', () => {
  const { on } = clonedWorkspace();
  expectAll(on, 'ask', [
    'rm s && mkdir s && cat lk',
    'rm s && mkdir s && echo evil > lkw',
    'rm s && mkdir s && cat l*',
    'rm s; mkdir s; cat < lk',
    'rm s && mkdir s && cp lk copy',
    'rm s && mkdir s && grep -R x .',
    'rm s && mkdir s && find . -exec cat {} +',
    'rm s && mkdir s && find . -name lk | xargs cat',
    'rm s && mkdir s && cat s/../../secret',
    'rm deep/../s && mkdir s && cat lk',
    'mv s t; mkdir s; cat lk',
    'rm -rf s deep && mkdir s && cat lk',
    'cat lk & rm s && mkdir s',
    'while read -r x; do cat lk; rm s; mkdir s; done < f',
  ]);
});

test('what comes after a wait is judged by its text alone', () => {
  const { on } = clonedWorkspace();
  expectAll(on, 'ask', [
    'sleep 2; find . -type f | xargs cat',
    'sleep 2; cat lk',
    'sleep 2; echo evil > lkw',
    'sleep 2 && cat *.ts',
    'sleep 2; cat src/../f',
    'sleep 2 & wait; cat lk',
    'tail -f f; cat lk',
    'tail -F f | cat lk',
    'for x in -*; do tail "$x" f; done; cat lk',
    'read -r x; cat lk',
    'timeout 5 sleep 2; cat lk',
    "bash -c 'sleep 2; cat lk'",
    'seq 1 99999999999 | tail -1; cat lk',
    'while ! test -f go; do :; done; cat lk',
    'until test -f go; do true; done; cat lk',
    'for ((i = 0; i < 99; i++)); do :; done; cat lk',
    'sleep 2; cp -r public .github/x',
  ]);
  expectAll(on, 'allow', [
    'sleep 2; cat f',
    'sleep 2; tail -n 5 src/a.ts',
    'for x in *.ts; do tail -n 5 "$x"; done',
    "find src -name '*.ts' -exec tail -n 5 {} +",
    "find src -name '*.ts' | xargs tail -n 5",
    'sleep 1; ls; git status',
    'sleep 1; grep -rn x src',
  ]);
});

test('what git brings may be links: a path after it is asked about', () => {
  const { on } = clonedWorkspace();
  const names =
    'checkout switch stash merge reset restore rebase pull worktree cherry-pick revert read-tree checkout-index clone submodule';
  const allow = [...names.split(' ').map((name) => `Bash(git ${name}:*)`), 'Bash(npm test:*)'];
  const ruled = (command: string) => on(command, { mode: 'default', allow });
  expectAll(ruled, 'ask', [
    'git checkout -q evil && cat l/secret',
    'git switch -q evil && cat l/secret',
    'git switch evil; cat < l',
    'git stash pop && cat l',
    'git merge evil && head l/secret',
    'git reset --hard evil; cat l',
    'git restore --source evil l && cat l/secret',
    'git restore --source evil . && cat l/secret',
    'git rebase evil && ls l',
    'git pull && cat src/*.ts',
    'git worktree add wt evil && cat wt/l/secret',
    'git cherry-pick evil && cd l && cat secret',
    'git checkout evil && git -C sub diff',
    'git checkout evil | cat l/secret',
    'cat l/secret & git checkout evil',
    'for i in 1 2; do cat l/secret; git checkout evil; done',
    'git -C . checkout evil && cat l/secret',
    // What it brings may be a file that tells the search what to skip.
    'git checkout main && git log -3 && rg needle',
  ]);
  expectAll(ruled, 'allow', [
    'git checkout main && git status',
    'git pull && ls',
    'git pull && npm test',
    'git checkout -b topic && cat src/a.ts',
    'git switch -c topic && cat src/a.ts',
    'cat src/a.ts && git checkout main',
  ]);
});

test('after a program that only a rule allows, patterns, links and .. are asked about, plain paths are not', () => {
  const { on } = clonedWorkspace();
  const allow = ['Bash(npm test:*)', 'Bash(make:*)', 'Bash(rm:*)'];
  const ruled = (command: string) => on(command, { mode: 'default', allow });
  expectAll(ruled, 'ask', [
    'npm test && cat lk',
    'npm test; cat *.ts',
    'make; find . -type f | xargs cat',
    'cd src && make && cat ../f',
  ]);
  expectAll(ruled, 'allow', [
    'npm test && cat out.log',
    'npm test 2>&1 | tail -20',
    'npm test; git status',
    'make && ls dist && grep -rn x src',
    'make && rm -rf dist/*',
    'cat inner.ts && npm test',
    'git status && make',
  ]);
});

test('lines of every day stay free', () => {
  const { on } = clonedWorkspace();
  expectAll(on, 'allow', [
    'mkdir -p x && touch x/y && ls x',
    'mkdir build && cp src/a.c build/',
    'rm -rf dist && mkdir dist && cp -r public/. dist',
    'mv f b && git status',
    'sed -i s/a/b/ f && cat f',
    'touch x && ls',
    'cd src && ls *.ts',
    'touch src/b.ts && cat src/*.ts',
    'mkdir -p out && find src -type f | xargs wc -l',
    'rm -f f && cat src/*.ts',
    'rm -rf dist && grep -rn x src',
    'rm f && find src -name "*.ts" -exec wc -l {} +',
    'cd src && rm -f a.c && cat ../f',
    'mkdir t && cd t && touch y && cd .. && rm -rf t && ls',
    'rm src/a.c && cat inner.ts',
    'for f in src/*.ts; do wc -l "$f"; touch dist/x; done',
    'mv src lib && ls lib && git diff --stat',
    'echo hi > note.txt && cat *.txt',
    'rm -rf t && mkdir t && cd t && touch y',
    'mv src lib && cd lib && ls *.ts',
    'git ls-files | while read -r f; do wc -l "$f"; done',
  ]);
});
