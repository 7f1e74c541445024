import { describe, expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exploreRole } from '../../src/permissions/roles.ts';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { temporaryDirectory } from '../support/index.ts';
import { judge as judgeCase } from './cases.ts';
import { filesGround } from './files-ground.ts';

/** Names that programs take for options: of a search, of links that are followed, of files with patterns and with names. */
const files = [
  'a.txt',
  'b.txt',
  '-R',
  '-RL',
  '-c',
  '-f../list',
  '.env',
  '--files0-from=../list',
  'src/main.c',
];
const judge = filesGround(files, () => []);

const misread = [
  'grep one -[R]',
  'grep one "-"[R]',
  'grep one \\-[R]',
  'grep one -?',
  'grep one -*',
  'grep one ?R',
  'grep -c one -[!x]',
  'grep -[f]../list a.txt',
  'grep [-]R a.txt',
  "x='-[R]'; grep one $x",
  'x=-; grep one $x[R]',
  'for f in -[R]; do grep one "$f"; done',
  'timeout 5 grep one -[R]',
  "bash -c 'grep one -[R]'",
  "sh -c 'grep one -[R]'",
  'wc -l -[-]files0-from=../list',
  'wc -l --files0-from=../lis?',
  'wc -l ?-files0-from=../list',
  'du -[-]files0-from=../list',
  'sha256sum -[c] a.txt',
  'wc --files0-from=[x]',
  'wc -l --files0-from=?',
  'du --files0-from=*',
  'x="--files0-from=[x]"; wc $x',
  'grep one -[q]',
  'grep --directories=recurs[e] one',
  'ls -[R]L',
  'ls *',
];

describe('a pattern that becomes the name of an option', () => {
  test('is asked about', () => {
    for (const command of misread) expect([command, judge(command)]).toEqual([command, 'ask']);
  });

  test('is not run for an agent that only reads', () => {
    for (const command of misread)
      expect([command, judge(command, { role: exploreRole })]).not.toEqual([command, 'allow']);
  });

  test('is asked about under a rule for the program and one that refuses a file', () => {
    const rules = { allow: ['Bash(grep:*)', 'Bash(wc:*)'], deny: ['Read(.env)'] };
    for (const command of ['grep one -[R]', 'grep -[f]../list a.txt', 'wc -l -[-]files0-from=../list'])
      expect([command, judge(command, rules)]).not.toEqual([command, 'allow']);
  });

  test('is fine where the names are all operands', () => {
    for (const command of [
      'grep one *.txt',
      'wc -l *.txt',
      'grep one -- -[R]',
      'grep -rn one --include=*.c src',
      'grep --include=*.c -rn one src',
      'grep -rn one --include=*.{c,h} --exclude-dir=node_* src',
      'ps aux | grep [n]ode',
      'grep one ./*.txt',
      'ls *.txt',
      'ls src/*',
      'cat *',
      'head -n 3 *',
    ])
      expect([command, judge(command)]).toEqual([command, 'allow']);
  });

  test('stays an option where no name fits it, with a file as its value', () => {
    using directory = temporaryDirectory();
    const cwd = resolveRealPath(directory.path);
    const command = 'grep -f[x] a.txt';
    const workspace = { cwd, directories: [], realPath: resolveRealPath, look: lookAtFiles([cwd]) };
    const decide = () => judgeCase({ accesses: [{ kind: 'shell', command, cwd }], workspace }).behaviour;
    writeFileSync(join(cwd, '[x]'), 'one');
    expect(decide()).toBe('allow');
    rmSync(join(cwd, '[x]'));
    symlinkSync('/etc/hosts', join(cwd, '[x]'));
    expect(decide()).toBe('ask');
  });

  test('makes programs read other files', () => {
    using directory = temporaryDirectory();
    const cwd = join(directory.path, 'work');
    mkdirSync(join(cwd, '--files0-from=..'), { recursive: true });
    for (const name of ['-R', '--files0-from=../list']) writeFileSync(join(cwd, name), '');
    writeFileSync(join(cwd, '.env'), 'one');
    writeFileSync(join(directory.path, 'list'), 'kept elsewhere');
    const run = (command: string) => spawnSync('bash', ['-c', command], { cwd, encoding: 'utf8' });
    expect(run('grep one -[R]').stdout).toContain('.env');
    expect(run('wc -l -[-]files0-from=../list').stderr).toContain('kept elsewhere');
    symlinkSync('../list', join(cwd, '[x]'));
    expect(run('wc --files0-from=[x]').stderr).toContain('kept elsewhere');
  });
});
