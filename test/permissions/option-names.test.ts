import { describe, expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exploreRole } from '../../src/permissions/roles.ts';
import { temporaryDirectory } from '../support/index.ts';
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
      'ps aux | grep [n]ode',
      'grep one ./*.txt',
      'ls *.txt',
      'ls src/*',
      'cat *',
      'head -n 3 *',
    ])
      expect([command, judge(command)]).toEqual([command, 'allow']);
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
  });
});
