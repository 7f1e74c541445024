import { expect, test } from 'bun:test';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exploreRole } from '../../src/permissions/roles.ts';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { openRealPaths, resolveRealPath } from '../../src/workspace/real-path.ts';
import { temporaryDirectory } from '../support/index.ts';
import { type Case, judge } from './cases.ts';

/** A workspace with links that stay inside, behind which `..` is not what it seems. */
function linkedWorkspace() {
  const root = join(resolveRealPath(temporaryDirectory().path), 'repo');
  for (const path of ['a/b/c', 's', 'src', 'deep/er/est', '.git/hooks', 'secrets'])
    mkdirSync(join(root, path), { recursive: true });
  symlinkSync('../../..', join(root, 'a/b/c/link'));
  symlinkSync('../.git/hooks', join(root, 's/h'));
  symlinkSync('deep/er/est', join(root, 'inner'));
  writeFileSync(join(root, 'deep/er/here'), '');
  writeFileSync(join(root, 'src/x'), '');
  const workspace = { cwd: root, directories: [], realPath: resolveRealPath, look: lookAtFiles([root]) };
  const on = (command: string, more: Partial<Case> = {}) =>
    judge({ accesses: [{ kind: 'shell', command, cwd: root }], workspace, ...more }).behaviour;
  return { root, on };
}

test('PE5 behind a link .. is the parent of its target, for whatever writes', () => {
  const { on } = linkedWorkspace();
  const outside = [
    'touch a/b/c/link/../../ESCAPED',
    'touch a/b/c/link/../ESCAPED',
    'echo x > a/b/c/link/../../ESCAPED',
    'echo x > a/b/c/link/../missing/../ESCAPED',
    'cp src/x a/b/c/link/../../y',
    'cp src/x s/h/../config',
    'rm s/h/../config',
    'cd a/b/c/link && touch ../ESCAPED',
    'cd a/b/c && touch link/../ESCAPED',
    'mkdir a/b/c/link/..//../new',
    'd=a/b/c/link; touch "$d/../ESCAPED"',
  ];
  for (const command of outside)
    expect([command, on(command, { mode: 'acceptEdits' })]).toEqual([command, 'ask']);
  const inside = [
    'touch src/../y',
    'touch inner/../y',
    'echo x > a/b/../c',
    'cd src && touch ../y',
    'cd src/../a && touch y',
    'touch missing/../y',
  ];
  for (const command of inside)
    expect([command, on(command, { mode: 'acceptEdits' })]).toEqual([command, 'allow']);
});

test('PE5 and for whatever reads', () => {
  const { on } = linkedWorkspace();
  const outside = [
    'cat a/b/c/link/../../../etc/hostname',
    'cat a/b/c/link/../x',
    'ls a/b/c/link/..',
    'cat a/b/c/link/../*',
    'grep -r x a/b/c/link/..',
    'find a/b/c/link/..',
    'cat < a/b/c/link/../x',
    'git -C a/b/c/link/.. log',
    'git -C a/b/c/link -C .. log',
    'cd a/b/c/link/../../nowhere && cat x',
    'cd a/b/c/link && cat ../x',
    'diff -r a/b/c/link/.. src',
    '[ -f a/b/c/link/../x ] && cat a/b/c/link/../x',
  ];
  for (const command of outside) {
    expect([command, on(command)]).toEqual([command, 'ask']);
    expect([command, on(command, { role: exploreRole }) === 'allow']).toEqual([command, false]);
  }
  for (const command of ['cat inner/../here', 'cat src/../src/x', 'cd src && cat ../src/x', 'ls src/..'])
    expect([command, on(command)]).toEqual([command, 'allow']);
});

test('a rule holds for either reading of such a path', () => {
  const { on } = linkedWorkspace();
  expect(on('cat inner/../here', { deny: ['Read(deep/er/here)'] })).toBe('deny');
  expect(on('cat inner/../here', { deny: ['Read(./here)'] })).toBe('deny');
});

test('a path is followed piece by piece, also where it does not exist', () => {
  const { root } = linkedWorkspace();
  expect<string>(resolveRealPath(`${root}/inner/..`)).toBe(`${root}/deep/er`);
  expect<string>(resolveRealPath(`${root}/inner/../missing/x`)).toBe(`${root}/deep/er/missing/x`);
  expect<string>(resolveRealPath(`${root}/inner/../missing/../x`)).toBe(`${root}/deep/er/x`);
});

test('a real path is the same when directories are remembered', () => {
  const { root } = linkedWorkspace();
  symlinkSync('loop', join(root, 'loop'));
  symlinkSync('/', join(root, 'top'));
  symlinkSync('nowhere/x', join(root, 'dangling'));
  const follow = openRealPaths();
  const names = ['src/x', 'src/missing/y', 'inner/z', 'inner/../here', 'a/b/c/link/src/x', 'a/b/c/link/..'];
  for (const name of [
    ...names,
    'loop',
    'loop/x',
    'top/etc',
    'top',
    'dangling',
    'dangling/y',
    'src/x/y',
    'src//x/',
    '.',
  ])
    expect([name, follow(`${root}/${name}`)]).toEqual([name, resolveRealPath(`${root}/${name}`)]);
  for (const path of ['/', '/etc', '//etc/hostname', '/missing/x'])
    expect([path, follow(path)]).toEqual([path, resolveRealPath(path)]);
});

test('PE5 with a slash at its end a pattern follows the links that it finds', () => {
  const { root, on } = linkedWorkspace();
  symlinkSync('/etc', join(root, 'src/out'));
  const outside = [
    ...['du src/*/', 'du -d5 src/*/', 'du -sh src/*//', 'stat src/*/', 'stat -c %n src/*/', 'stat src/o*/'],
    ...['ls -ld src/*/', 'du */*/', 'du s*/**/', 'stat src/**/.', 'du src/out/', 'ls -lad src/*/'],
    ...['for d in src/*/; do du -sh "$d"; done', 'for d in src/*; do du -sh "$d/"; done'],
    ...['cd src && du */', 'cd src && stat */', 'd=src; du "$d"/*/', 'for d in src/*; do stat "$d"//; done'],
  ];
  for (const command of outside) {
    expect([command, on(command)]).toEqual([command, 'ask']);
    expect([command, on(command, { deny: ['Read(//etc/**)'] }) === 'allow']).toEqual([command, false]);
    expect([command, on(command, { role: exploreRole }) === 'allow']).toEqual([command, false]);
  }
  const inside = [
    ...[
      'du deep/*/',
      'stat deep/*/',
      'ls -d deep/*/',
      'du */',
      'ls -d */',
      'for d in */; do du -sh "$d"; done',
    ],
    ...[
      'du src/*',
      'stat src/*',
      'ls -d src/*',
      'ls -d src/*/',
      'echo src/*/',
      'for d in src/*/; do echo "$d"; done',
    ],
  ];
  for (const command of inside) expect([command, on(command)]).toEqual([command, 'allow']);
});

test('a link that the same line makes may be among the names of a pattern with a slash at its end', () => {
  const { on } = linkedWorkspace();
  const allow = ['Bash(ln:*)'];
  for (const line of [
    'ln -s /etc x; du */',
    'ln -s /etc x && stat */',
    'ln -s /etc x; for d in */; do du "$d"; done',
  ])
    expect([line, on(line, { allow })]).toEqual([line, 'ask']);
});
