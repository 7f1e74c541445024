import { expect } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { needs, temporaryDirectory } from '../support/index.ts';
import { judge } from './cases.ts';

const gitTest = needs('git');

const telling = [
  'git clean -n',
  'git clean -nd',
  'git clean -ndx',
  'git clean -n -f -d src',
  'git clean --dry-run',
  'git remote show -n origin',
  'mktemp -u',
  'mktemp -u -d new.XXXXXX',
];

const doing = [
  'git clean',
  'git clean -f',
  'git clean -fd -- -n',
  'git clean -n -i',
  'git clean -n --no-dry-run',
  'git remote show origin',
  'git remote prune -n origin',
  'git remote update -n',
  'mktemp',
  'mktemp -d',
  'mktemp -d -p . -u.XXXX',
  'zstdcat -o x a.zst',
  'zstdcat --rm a.zst',
  'zstdcat /etc/x.zst',
];

gitTest('what only tells what would happen runs without asking, and nothing happens', () => {
  const cwd = join(resolveRealPath(temporaryDirectory().path), 'repo');
  mkdirSync(join(cwd, 'src'), { recursive: true });
  for (const name of ['a.txt', 'left.txt', 'src/left.o']) writeFileSync(join(cwd, name), 'text\n');
  const run = (line: string) =>
    spawnSync('bash', ['--norc', '-c', line], {
      cwd,
      encoding: 'utf8',
      env: { ...process.env, TMPDIR: cwd },
    });
  run('git init -q -b main; git remote add origin https://example.invalid/a.git; git add a.txt');
  const look = () => run('find . -printf "%p %s %C@\\n" | sort').stdout;
  const before = look();
  const on = (command: string) =>
    judge({
      accesses: [{ kind: 'shell', command, cwd }],
      workspace: { cwd, directories: [], realPath: resolveRealPath, look: lookAtFiles([cwd]) },
    }).behaviour;
  for (const line of telling) {
    expect([line, on(line)]).toEqual([line, 'allow']);
    const { status } = run(line);
    expect([line, status, look() === before]).toEqual([line, 0, true]);
  }
  expect(on('zstdcat a.zst')).toBe('allow');
  for (const line of doing) expect([line, on(line)]).toEqual([line, 'ask']);
});
