import { expect } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { needs } from '../../support/index.ts';
import { judge, shell, workspace } from '../cases.ts';
import { type Room, room, run } from './support.ts';

const test = needs('bwrap');

const [, here = '', judgedOnly = ''] = readFileSync(
  join(import.meta.dirname, '../corpus/everyday.txt'),
  'utf8',
).split(/^## .*\n/m);
const lines = (text: string) => text.split('\n').filter((line) => line !== '');
const everyday = [...lines(here), ...lines(judgedOnly)];

test(`PE6 of ${everyday.length} everyday commands that change something 95 % run unasked in the sandbox`, () => {
  expect(everyday.length).toBeGreaterThanOrEqual(60);
  const sandbox = { autoAllow: true, outside: true, excluded: [], network: false };
  const asked = everyday.filter(
    (command) =>
      judge({ accesses: [shell(command)], workspace: { ...workspace, sandbox } }).behaviour !== 'allow',
  );
  expect(asked.length / everyday.length, asked.join('\n')).toBeLessThanOrEqual(0.05);
});

function project(at: Room): void {
  const files = {
    'a.ts': 'export const one = 1;\n',
    'sub/b.ts': 'export const b = 2;\n',
    'run.sh': 'echo ran > ran.txt\n',
    'script.js': "require('node:fs').writeFileSync('made.txt', 'x');\n",
    'test.mjs': "import test from 'node:test';\ntest('works', () => {});\n",
    'script.py': "open('made-too.txt', 'w').write('x')\n",
    'test_a.py': 'import unittest\nclass T(unittest.TestCase):\n    def test_a(self): pass\n',
    Makefile: 'all:\n\t@echo made > out.txt\n',
    'package.json':
      '{"name":"a","version":"1.0.0","scripts":{"test":"node script.js","build":"node script.js"}}\n',
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(at.cwd, name, '..'), { recursive: true });
    writeFileSync(join(at.cwd, name), text);
  }
  const git = (...args: string[]) => execFileSync('git', args, { cwd: at.cwd, stdio: 'ignore' });
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'A');
  git('config', 'user.email', 'a@example.com');
  git('add', '--all');
  git('commit', '-qm', 'First');
}

test(`${lines(here).length} of them work inside, one after the other`, async () => {
  const at = room();
  project(at);
  const failed: string[] = [];
  for (const command of lines(here)) {
    const { code, text, notes } = await run(at, command);
    if (code !== 0 || notes.length > 0) failed.push(`${command}: ${code} ${text} ${notes.join(' ')}`);
  }
  expect(failed).toEqual([]);
}, 120_000);
