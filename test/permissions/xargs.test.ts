import { expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { needs, temporaryDirectory } from '../support/index.ts';
import { judge, shell } from './cases.ts';

const asked = [
  "echo 'id > pwned.txt' | xargs -I A -I ls sh -c ls",
  "echo '-exec touch pwned2.txt ;' | xargs -I{} -n5 find . -maxdepth 0",
  'echo --output=out1.txt | xargs -I{} -n2 git log',
  'echo --output=out1.txt | xargs -n2 -I{} git log',
  'echo --output=out1.txt | xargs -I{} -L1 git log',
  'echo /outside/file | xargs -I A -I B cat B',
  'echo /outside/file | xargs -IA -IB cat B',
  "find . -name '*.ts' | xargs -d '\\n' -d ' ' cat",
  "find . -name '*.ts' -print0 | xargs -0 -d ' ' cat",
  'ls | xargs -n x cat',
  'ls | xargs -I "" cat',
  'ls | xargs -a list cat',
  'ls | xargs -i cat {}',
  'ls | xargs --replace=A cat A',
];
for (const mode of ['default', 'plan'] as const)
  test(`xargs with options that override each other is asked about: ${mode}`, () => {
    for (const command of asked)
      expect([command, judge({ accesses: [shell(command)], mode }).behaviour]).toEqual([command, 'ask']);
  });

test('everyday uses of xargs stay free', () => {
  const root = temporaryDirectory().path;
  mkdirSync(join(root, 'src'));
  writeFileSync(join(root, 'src', 'a.ts'), '');
  const workspace = { cwd: root, directories: [], realPath: resolveRealPath, look: lookAtFiles([root]) };
  for (const command of [
    "find . -name '*.ts' | xargs wc -l",
    "find . -name '*.ts' -print0 | xargs -0 -r grep -n x",
    "find . -name '*.ts' | xargs -r -n 1 basename",
    "find . -name '*.ts' | xargs -P4 -n10 grep -l x",
    "find . -name '*.ts' | xargs -I{} head -1 {}",
    "find . -name '*.ts' | xargs -I % basename %",
    "find . -name '*.ts' | xargs -d '\\n' wc -l",
  ])
    expect([
      command,
      judge({ accesses: [{ kind: 'shell', command, cwd: root }], workspace }).behaviour,
    ]).toEqual([command, 'allow']);
});

needs('xargs')('what is asked about is what xargs really does: of two options the last counts', () => {
  const run = (...args: string[]) => execFileSync('xargs', args, { input: 'a b\n', encoding: 'utf8' });
  expect(run('-I', 'A', '-I', 'B', 'echo', 'A', 'B')).toBe('A a b\n');
  expect(run('-I{}', '-n5', 'echo', '{}')).toBe('{} a b\n');
});
