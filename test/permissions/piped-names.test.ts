import { expect, test } from 'bun:test';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { exploreRole } from '../../src/permissions/roles.ts';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { temporaryDirectory } from '../support/index.ts';
import { judge, shell } from './cases.ts';

const on = (command: string) => judge({ accesses: [shell(command)] }).behaviour;

test('what comes out of a file or is cut is not the name of a file that was found', () => {
  const asked = [
    'ls | head list.txt | xargs cat',
    'ls | head -n 3 list.txt | xargs cat',
    'ls | sort list.txt | xargs cat',
    'ls | sort < list.txt | xargs cat',
    'ls | sort <<< /etc/passwd | xargs cat',
    'ls | grep x list.txt | xargs cat',
    'ls | grep -el list.txt | xargs cat',
    'ls | grep -h x list.txt | xargs cat',
    'find y -type f | tail -c +2 | xargs cat',
    'find y -type f | head -c 20 | xargs cat',
    'find y -type f | tail --bytes=+2 | xargs cat',
    'find y | grep -o /etc/passwd | xargs cat',
    'rg -e -l notes.txt | xargs cat',
    'grep -l --label=/etc/passwd x | xargs cat',
    "git ls-files --format='/etc/passwd' | xargs cat",
    "grep -rl x ' /etc/passwd ' 2>&1 | xargs cat",
    "grep -rl x ' /etc/passwd ' |& xargs cat",
    'find y | xargs -d / cat',
    'find y | xargs -dy cat',
    'find y | while IFS=. read a b; do cat "$b"; done',
    'find y | while IFS=. read -r a; do cat "$a"; done',
    'find y | while read -r a b; do cat "$b"; done',
    'find y | while read -n 3 a; do cat "$a"; done',
    'find y | while read -d y a; do cat "$a"; done',
    'find y | while read -r f; do cat "$f"; done < list.txt',
    'find y | { head -c 1; xargs cat; }',
    'find y | { read -n 1 x; read -r f; cat "$f"; }',
    "find y | bash -c 'head -c 1; xargs cat'",
    'find y | while read -r f; do head -c 1; cat "$f"; done',
    'find y | { x=$(head -c 1); xargs cat; }',
    'find y | (cat - >/dev/null; xargs cat)',
    'cat $(find y | tail -c +2)',
    'cat $(ls | sort list.txt)',
    'find /extra | xargs cat',
    'find src ../x | xargs cat',
  ];
  for (const command of asked) expect([command, on(command)]).toEqual([command, 'ask']);
  const fine = [
    'find . -type f | sort -u | head -n 5 | xargs cat',
    'find . -type f | grep -v test | tail -3 | xargs wc -l',
    'find . -type f | grep -vE "a|b" | xargs wc -l',
    'find /repo/src | xargs wc -l',
    'find src -name \'*.ts\' | while IFS= read -r f; do grep -n x "$f" | head -3; done',
    'find src | while read -r f; do echo "$f"; wc -l "$f"; done',
    'rg -l x src | xargs wc -l',
    'grep -rlZ x src | xargs -0 wc -l',
    'ls | { head -5; }',
    "ls | xargs -d '\\n' wc -l",
  ];
  for (const command of fine) expect([command, on(command)]).toEqual([command, 'allow']);
});

/** In a workspace with one file of this name. */
function judgeBeside(name: string, command: string): string {
  const root = join(resolveRealPath(temporaryDirectory().path), 'repo');
  for (const file of [name, 'a.txt']) {
    mkdirSync(join(root, dirname(file)), { recursive: true });
    writeFileSync(join(root, file), '');
  }
  const workspace = { cwd: root, directories: [], realPath: resolveRealPath, look: lookAtFiles([root]) };
  const accesses = [{ kind: 'shell' as const, command, cwd: root }];
  return `${judge({ accesses, workspace }).behaviour} ${judge({ accesses, workspace, role: exploreRole }).behaviour}`;
}

test('a name that xargs, read or the shell would break is asked about', () => {
  const broken: [string, string][] = [
    ['""/etc/hostname', 'rg --files | xargs cat'],
    ['\\/etc/hostname', 'rg --files | xargs cat'],
    ["''/etc/hostname", 'find . -type f | xargs cat'],
    ['x /etc/hostname', 'find . -type f | xargs cat'],
    ['x .env.txt', "find . -name '*.txt' | xargs cat"],
    ['x .env.txt', "cat $(find . -name '*.txt')"],
    ['l*/b.txt', "cat $(find . -name '*.txt')"],
    ['l*/b.txt', "find . -name '*.txt' | while read -r f; do cat $f; done"],
    ['x\n/etc/hostname', 'find . -type f | while IFS= read -r f; do cat "$f"; done'],
    ['x\\', 'find . | while read f; do cat "$f"; done'],
    ['node_modules/p/x /etc/hostname', 'find . -type f | xargs cat'],
    ['.git/x /etc/hostname', 'find . -type f | xargs cat'],
  ];
  for (const [name, command] of broken)
    expect([name, command, judgeBeside(name, command)]).toEqual([name, command, 'ask deny']);
  const whole: [string, string][] = [
    ['[id].txt', "find . -name '*.txt' | xargs cat"],
    ['a b.txt', 'find . -type f -exec cat {} +'],
    ['a b.txt', 'find . -type f | while IFS= read -r f; do cat "$f"; done'],
    ['a b.txt', 'find . -type f -print0 | xargs -0 cat'],
    ['a b.txt', 'grep -R x .'],
  ];
  for (const [name, command] of whole)
    expect([name, command, judgeBeside(name, command)]).toEqual([name, command, 'allow allow']);
});

test('a link among installed packages that leads out of the workspace is asked about', () => {
  const root = join(resolveRealPath(temporaryDirectory().path), 'repo');
  mkdirSync(join(root, 'node_modules/p'), { recursive: true });
  symlinkSync('/etc/hostname', join(root, 'node_modules/p/a.txt'));
  const workspace = { cwd: root, directories: [], realPath: resolveRealPath, look: lookAtFiles([root]) };
  const judged = (command: string) =>
    judge({ accesses: [{ kind: 'shell' as const, command, cwd: root }], workspace }).behaviour;
  expect(judged("find . -name '*.txt' | xargs cat")).toBe('ask');
  expect(judged("find node_modules -name '*.txt' | xargs cat")).toBe('ask');
  expect(judged("find . -name '*.md' | xargs cat")).toBe('allow');
});

test('a directory outside that a link leads to is not listed by way of a pattern or a search', () => {
  const root = join(resolveRealPath(temporaryDirectory().path), 'repo');
  mkdirSync(join(root, 'src'), { recursive: true });
  symlinkSync('/etc', join(root, 'out'));
  symlinkSync('../..', join(root, 'src/up'));
  const workspace = { cwd: root, directories: [], realPath: resolveRealPath, look: lookAtFiles([root]) };
  const judged = (command: string) =>
    judge({ accesses: [{ kind: 'shell' as const, command, cwd: root }], workspace }).behaviour;
  for (const command of [
    'ls *',
    'ls o*',
    'ls src/*',
    'ls | xargs ls',
    'find src -exec ls {} +',
    'du -L',
    'tree src/*',
  ])
    expect([command, judged(command)]).toEqual([command, 'ask']);
  for (const command of ['ls', 'ls -R', 'ls -d *', 'echo *', 'du -s', 'tree', 'ls *.md'])
    expect([command, judged(command)]).toEqual([command, 'allow']);
});
