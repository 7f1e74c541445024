import { expect, test } from 'bun:test';
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { temporaryDirectory } from '../support/index.ts';
import { judge } from './cases.ts';

function ground(files: readonly string[], deny: readonly string[]) {
  const top = resolveRealPath(temporaryDirectory().path);
  const cwd = join(top, 'repo');
  const userHome = join(top, 'user');
  for (const file of ['a.md', 'src/a.txt', 'src/b.ts', ...files]) {
    mkdirSync(dirname(join(cwd, file)), { recursive: true });
    writeFileSync(join(cwd, file), 'x');
  }
  const behaviour = (command: string) => {
    const workspace = { cwd, userHome, directories: [], realPath: resolveRealPath, look: lookAtFiles([cwd]) };
    return judge({ accesses: [{ kind: 'shell', command, cwd }], workspace, deny: [...deny] }).behaviour;
  };
  return { behaviour, cwd };
}

const usual = ['Read(.env)', 'Read(.env.*)', 'Read(*.pem)', 'Read(./secrets/**)', 'Read(~/.ssh/**)'];
const lines = [
  ...[
    'grep -rn needle src',
    'grep -rn needle src/a.txt',
    "grep -r --include='*.ts' needle .",
    'rg needle',
    "rg -g '*.ts' x",
  ],
  ...['cat *.md | head -1', 'wc -l src/*.ts', "find src -name '*.ts' | xargs wc -l", 'grep -rn x .'],
];

test('usual rules do not stop searches and patterns that meet nothing of what they are about', () => {
  const { behaviour } = ground([], usual);
  for (const line of lines) expect([line, behaviour(line)]).toEqual([line, 'allow']);
});

test('what a rule is about is met where it is, also in git directories and packages', () => {
  for (const file of ['.env', 'src/.env', 'src/x.pem', 'secrets/k', '.git/x.pem', 'node_modules/p/.env']) {
    const { behaviour } = ground([file], usual);
    expect([file, behaviour('grep -rn x .')]).not.toEqual([file, 'allow']);
  }
});

test('nor by another name: a link, or a hard link', () => {
  const { behaviour, cwd } = ground(['.env'], ['Read(.env)']);
  symlinkSync('../.env', join(cwd, 'src/l.txt'));
  expect(behaviour('cat src/*.txt')).not.toBe('allow');
  expect(behaviour('grep -R x src')).not.toBe('allow');
  const other = ground(['.env'], ['Read(.env)']);
  linkSync(join(other.cwd, '.env'), join(other.cwd, 'src/hard.txt'));
  expect(other.behaviour('grep -r x src')).not.toBe('allow');
});
