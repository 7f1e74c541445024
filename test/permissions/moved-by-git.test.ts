import { expect } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { needs, temporaryDirectory } from '../support/index.ts';
import { type Case, judge } from './cases.ts';

const gitTest = needs('git');

function openGround() {
  const cwd = join(resolveRealPath(temporaryDirectory().path), 'repo');
  for (const file of ['conf/prod.json', 'top/conf/prod.json', 'keep/a.ts', 'a.txt', 'lib/b.ts']) {
    mkdirSync(dirname(join(cwd, file)), { recursive: true });
    writeFileSync(join(cwd, file), 'text\n');
  }
  const run = (line: string) => spawnSync('bash', ['--norc', '-c', line], { cwd, encoding: 'utf8' });
  run('git init -q -b main; git add .; git -c user.name=a -c user.email=a@b commit -qm first');
  const on = (command: string, more: Partial<Case> = {}) =>
    judge({
      accesses: [{ kind: 'shell', command, cwd }],
      workspace: { cwd, directories: [], realPath: resolveRealPath, look: lookAtFiles([cwd]) },
      allow: ['Bash(git:*)', 'Bash(mv:*)'],
      ...more,
    }).behaviour;
  return { cwd, run, on };
}

const moving = [
  'git mv conf c2',
  'git mv -k conf c2',
  'git mv -- conf/ c2',
  'git mv ./c* keep',
  'git -C top mv conf c9',
  'cd top && git mv conf c9',
  'git mv top t2',
  'git worktree move top t2',
  'git submodule add . y',
];

gitTest('git gives no file that a rule refuses another name, by the directory around it', () => {
  const { cwd, run, on } = openGround();
  for (const line of moving) {
    // It writes the list of submodules.
    expect([line, on(line)]).toEqual([line, line.includes('submodule') ? 'ask' : 'allow']);
    for (const more of [{}, { mode: 'bypassPermissions' as const }, { mode: 'acceptEdits' as const }])
      expect([line, more, on(line, { deny: ['Read(conf/prod.json)'], ...more })]).toEqual([
        line,
        more,
        'ask',
      ]);
  }
  run('git mv conf c2');
  expect(existsSync(join(cwd, 'c2/prod.json'))).toBe(true);
});

gitTest('what a pattern moves is judged, and not the directory that it is in', () => {
  const { on } = openGround();
  for (const line of [
    'git mv lib/*.ts keep',
    'git mv a.txt b.txt',
    'git mv lib l2',
    'mv *.txt keep',
    'mv l* keep',
  ])
    expect([line, on(line)]).toEqual([line, 'allow']);
  for (const line of ['mv .g* keep', 'mkdir -p x/workflows && mv x* .github', 'mv * keep'])
    expect([line, on(line)]).toEqual([line, 'ask']);
});
