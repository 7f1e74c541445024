import { expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exploreRole } from '../../src/permissions/roles.ts';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { openRealPaths, resolveRealPath } from '../../src/workspace/real-path.ts';
import { cadre, newPlace } from '../cli/support.ts';
import { temporaryDirectory } from '../support/index.ts';
import { type Case, judge, read, write } from './cases.ts';

/** Where links are followed by whoever opens them: for us they stay in the workspace, for a command they may not. */
function openGround(kind = 'self') {
  const top = resolveRealPath(temporaryDirectory().path);
  const root = join(top, 'repo');
  for (const path of ['src', 'q', 'empty', '.husky']) mkdirSync(join(root, path), { recursive: true });
  writeFileSync(join(root, 'q/n'), 'text\n');
  writeFileSync(join(root, 'a.txt'), 'text\n');
  const link = (target: string, name: string) => symlinkSync(target, join(root, name));
  link(`/proc/${kind}/root${root}/q/n`, 'file');
  link(`/proc/${kind}/root${root}/q`, 'folder');
  link(`/proc/${kind}/root${root}/empty`, 'hollow');
  link(`/proc/${kind}/root${root}/new`, 'new');
  link('src/../folder', 'further');
  link('q/n', 'plain');
  link('/dev/stdin', 'input');
  const on = (command: string, more: Partial<Case> = {}) =>
    judge({
      accesses: [{ kind: 'shell', command, cwd: root }],
      workspace: {
        ...{ cwd: root, directories: [], realPath: resolveRealPath, openPaths: openRealPaths },
        look: lookAtFiles([root]),
      },
      ...more,
    });
  return { top, root, link, on };
}

const reading = [
  'cat file',
  'head -1 file',
  'cat < file',
  'grep . file',
  'cat folder/n',
  'cat further/n',
  'cat further/../folder/n',
  'ls folder/',
  'ls further/',
  'cd folder && ls',
  'cd further && cat n',
  'cd src && cat ../file',
  'cat folder/*',
  'cat hollow/*',
  'cat */*',
  'cat h*/*',
  'cat hollow/*/x',
  'grep -R . .',
  'grep -r . folder/',
  'find -L . -name n -exec cat {} +',
  'find folder/ -name n -exec cat {} +',
  'rg -L . .',
  'git -C folder log',
  'diff -r q folder/',
  'cat input',
  'cat /proc/self/cwd/a.txt',
  'cat /proc/thread-self/cwd/a.txt',
  'wc -l "$(find . -name plain)" folder/n',
];

test('a link that each process follows to its own place is not followed in place of the command', () => {
  for (const kind of ['self', 'thread-self', `${process.pid}`]) {
    const { on } = openGround(kind);
    for (const line of reading) {
      for (const mode of ['default', 'acceptEdits', 'auto'] as const)
        expect([kind, line, mode, on(line, { mode }).behaviour]).toEqual([kind, line, mode, 'ask']);
      expect([line, on(line, { mode: 'dontAsk' }).behaviour]).toEqual([line, 'deny']);
      expect([line, on(line, { role: exploreRole }).behaviour]).not.toEqual([line, 'allow']);
    }
    for (const line of [
      'cat plain',
      'cat q/*',
      'cat a.txt',
      'grep -r . .',
      'ls',
      'cat *.txt',
      'find . -name n',
    ])
      expect([line, on(line).behaviour]).toEqual([line, 'allow']);
  }
});

test('nor does a command write through it', () => {
  const { on } = openGround();
  const lines = [
    'echo x > file',
    'echo x > new',
    'touch folder/y',
    'cp a.txt folder',
    'mv a.txt hollow/',
    'rm folder/n',
  ];
  const more = [
    'tee folder/y < a.txt',
    'mkdir folder/z',
    'sed -i s/a/b/ file',
    'cp a.txt new',
    'cd folder && touch y',
  ];
  for (const line of [...lines, ...more])
    expect([line, on(line, { mode: 'acceptEdits' }).behaviour]).toEqual([line, 'ask']);
});

test('a deny rule holds for what such a link may lead to, in every mode and whatever allows the rest', () => {
  const { on } = openGround();
  const deny = ['Read(q/**)', 'Edit(a.txt)'];
  for (const line of ['cat file', 'cat further/n', 'cp file y', 'echo x > new'])
    for (const more of [
      { mode: 'bypassPermissions' as const },
      { allow: ['Bash', 'Read(//**)', 'Edit(//**)'] },
    ])
      expect([line, more, on(line, { deny, ...more }).behaviour]).not.toEqual([line, more, 'allow']);
});

test('file tools are asked about such a link as well, and say why they do not open it', () => {
  const { root, on } = openGround();
  for (const access of [read(join(root, 'file')), write(join(root, 'new')), read(join(root, 'folder/n'))])
    expect([access, on('', { accesses: [access], mode: 'acceptEdits' }).behaviour]).toEqual([access, 'ask']);
  expect(on('', { accesses: [read(join(root, 'file'))] }).reason).toContain('it is unclear where');
});

test('a directory of the workspace that leads to no certain place opens nothing', () => {
  const { root, top, on } = openGround();
  for (const name of ['folder', 'file', 'further']) {
    const workspace = {
      ...{ cwd: join(root, 'src'), directories: [join(root, name)], realPath: resolveRealPath },
      look: lookAtFiles([join(root, 'src')]),
    };
    for (const path of ['/etc/passwd', join(top, 'x'), join(root, name, 'n')])
      expect([name, path, on('', { accesses: [read(path)], workspace }).behaviour]).toEqual([
        name,
        path,
        'ask',
      ]);
  }
});

test('what the machine tells about itself stays free', () => {
  const { on } = openGround();
  for (const line of [
    'cat /proc/meminfo',
    'cat /proc/cpuinfo',
    'cat /etc/os-release',
    'echo x > /dev/null',
    'cat a.txt | tee /dev/stderr',
  ])
    expect([line, on(line).behaviour]).toEqual([line, 'allow']);
});

test('a real shell follows such a link from its own directory, so the line is asked about', async () => {
  const place = newPlace();
  const put = (path: string) => join(place.cwd, path);
  for (const path of ['q', 'src/q']) mkdirSync(put(path), { recursive: true });
  writeFileSync(put('q/n'), 'inside\n');
  writeFileSync(join(place.cwd, '../outside.txt'), 'outside\n');
  symlinkSync(join(place.cwd, '../outside.txt'), put('src/q/n'));
  symlinkSync('/proc/self/cwd/q/n', put('pl'));
  symlinkSync('/proc/self/cwd/q', put('dl'));
  symlinkSync('/dev/fd/../cwd/q/n', put('fl'));
  symlinkSync('fl', put('again'));
  const lines = ['pl', 'dl/n', 'fl', 'again', 'dl/*'].map((name) => `cd src && cat ../${name}`);
  for (const shell of ['bash', 'dash'])
    for (const line of lines)
      expect([
        shell,
        line,
        spawnSync(shell, ['-c', line], { cwd: place.cwd, encoding: 'utf8' }).stdout,
      ]).toEqual([shell, line, 'outside\n']);
  const input = lines
    .map((command, id) => JSON.stringify({ id, tool: 'Bash', input: { command } }))
    .join('\n');
  const { out } = await cadre(['why', '--batch', '--no-sandbox'], { place, input });
  const answers = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).decision);
  expect(answers).toEqual(lines.map(() => 'ask'));
});
