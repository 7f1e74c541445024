import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { exploreRole } from '../../src/permissions/roles.ts';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { type Case, judge } from './cases.ts';
import { openGitGround } from './git-ground.ts';

/** A repository of which only `sub` is the workspace. */
function openAround(files: Readonly<Record<string, string>> = {}) {
  const ground = openGitGround({
    'a.txt': 'one\n',
    'sub/b.txt': 'two\n',
    'other/c.txt': 'three\n',
    ...files,
  });
  const cwd = join(ground.root, 'sub');
  const workspace = { cwd, directories: [], realPath: resolveRealPath, look: lookAtFiles([cwd]) };
  return {
    ...ground,
    behaviours: (command: string, more: Partial<Case> = {}) => {
      const one: Case = { accesses: [{ kind: 'shell', command, cwd }], workspace, ...more };
      return `${judge(one).behaviour} ${judge({ ...one, role: exploreRole }).behaviour}`;
    },
  };
}

/** Each shows what git keeps of files above the workspace. */
const showing = [
  ...[
    'git diff',
    'git log -p',
    'git show',
    'git show HEAD:a.txt',
    'git grep -n one -- :/a.txt',
    'git grep one -- :/',
  ],
  ...[
    "git grep one -- ':(top)'",
    "git grep one -- ':(top,icase)A.TXT'",
    'git grep -e one -- ..',
    'git blame ../a.txt',
  ],
  ...[
    'git diff -- ..',
    'git log -p -- ../other',
    'git -C .. diff',
    'git -C .. grep one',
    'git -C .. status',
    'cd .. && git diff',
  ],
];

test('what git keeps of the repository around the workspace may be looked at', () => {
  const { behaviours, put } = openAround();
  put('a.txt', 'changed\n');
  for (const line of showing.slice(0, -1)) expect([line, behaviours(line)]).toEqual([line, 'allow allow']);
  // The directory itself is outside.
  expect(behaviours('cd .. && git diff')).toBe('ask ask');
});

test('beyond the repository, and what git does not keep, is elsewhere', () => {
  const { behaviours, put } = openAround();
  put('loose.txt');
  const lines = [
    ...[
      'cat ../a.txt',
      'git grep --untracked x -- ..',
      'git grep --untracked x -- :/',
      'git -C .. grep --untracked x',
    ],
    ...[
      "git grep --untracked x -- ':(top)loose.txt'",
      'git -C ../.. status',
      'git diff -- ../..',
      'git diff --no-index ../a.txt b.txt',
    ],
    ...['git -C /etc log', 'git grep --untracked --cached x -- ../other'],
  ];
  for (const line of lines) expect([line, behaviours(line)]).not.toEqual([line, 'allow allow']);
  for (const line of ['git grep --untracked x', 'git grep --untracked x -- b.txt'])
    expect([line, behaviours(line)]).toEqual([line, 'allow allow']);
});

test('credentials around the workspace are asked about, and refused files too', () => {
  const { behaviours } = openAround({ '.env': 'KEY=1\n', 'hush.txt': 'x\n' });
  for (const line of showing) {
    const isElsewhere = /other|a\.txt|status/i.test(line);
    if (!isElsewhere) expect([line, behaviours(line)]).toEqual([line, 'ask deny']);
  }
  const plain = openAround({ 'hush.txt': 'x\n' });
  for (const line of [
    'git diff',
    'git grep one -- :/',
    'git grep -e one -- ..',
    'git -C .. diff',
    'git log -p',
  ])
    for (const deny of [['Read(hush.txt)'], [`Read(/${plain.root}/hush.txt)`]])
      expect([line, plain.behaviours(line, { deny })]).not.toEqual([line, 'allow allow']);
});

test('a search by git of files that it does not keep comes across refused files and credentials', () => {
  const ground = openGitGround({ 'a.txt': 'one\n', 'sub/b.txt': 'two\n' });
  ground.put('hush.txt', 'HUSH\n');
  const lines = [
    ...[
      'git grep --untracked -e HUSH -e ENVSEC',
      'git grep --untracked HUSH -- .',
      "git grep --untracked HUSH -- 'h*'",
    ],
    ...[
      'cd sub && git grep --untracked -e HUSH -- ..',
      'git -C sub grep --untracked HUSH -- ..',
      'git grep --untracked HUSH -- :/',
    ],
  ];
  for (const line of lines) {
    expect([line, ground.run(line)]).toEqual([line, expect.stringContaining('HUSH')]);
    expect(`${line}: ${ground.judge(line, { deny: ['Read(hush.txt)'] })}`).not.toMatch(
      /allow (?:allow|ask|deny)$/,
    );
    expect(
      `${line}: ${ground.judge(line, { deny: ['Read(hush.txt)'], allow: ['Bash(git grep:*)'] })}`,
    ).not.toMatch(/allow (?:allow|ask|deny)$/);
  }
  ground.put('.env', 'ENVSEC=1\n');
  for (const line of lines.filter((one) => !one.includes("'h*'")))
    expect([line, ground.judge(line).split(' ')[1]]).toEqual([line, 'deny']);
  expect(ground.judge('git grep --untracked two -- sub')).toBe('allow allow');
});

test('git grep with options that are not known may look at any file below', () => {
  const ground = openGitGround({ 'a.txt': 'one\n', 'sub/b.txt': 'two\n' });
  ground.put('hush.txt', 'HUSH\n');
  const workspace = {
    cwd: ground.root,
    directories: [],
    realPath: resolveRealPath,
    look: lookAtFiles([ground.root]),
  };
  const of = (command: string, more: Partial<Case>) =>
    judge({ accesses: [{ kind: 'shell', command, cwd: ground.root }], workspace, ...more }).behaviour;
  for (const line of [
    'git grep --no-index HUSH',
    'git grep --no-ind HUSH',
    'cd sub && git grep --no-index HUSH ..',
    'git grep --untr HUSH',
  ]) {
    expect([line, ground.run(line)]).toEqual([line, expect.stringContaining('HUSH')]);
    const deny = ['Read(hush.txt)'];
    expect([line, of(line, { deny, allow: ['Bash(git grep:*)'] })]).toEqual([line, 'ask']);
    expect([line, of(line, { deny, mode: 'bypassPermissions' })]).toEqual([line, 'ask']);
    expect([line, of(line, { mode: 'bypassPermissions' })]).toEqual([line, 'allow']);
  }
});

test('what a line stores and then shows is a reading of it', () => {
  const ground = openGitGround({ 'a.txt': 'one\n', 'sub/b.txt': 'two\n' });
  ground.put('hush.txt', 'HUSH\n');
  ground.put('sub/c.txt', 'new\n');
  const workspace = {
    cwd: ground.root,
    directories: [],
    realPath: resolveRealPath,
    look: lookAtFiles([ground.root]),
  };
  const of = (command: string, more: Partial<Case>) =>
    judge({
      accesses: [{ kind: 'shell', command, cwd: ground.root }],
      workspace,
      deny: ['Read(hush.txt)'],
      ...more,
    }).behaviour;
  const showing = [
    'git add -A && git diff --cached',
    'git add . ; git status -v',
    'git add hush.txt && git grep --cached HUSH',
    'git stash -u && git stash show -p -u',
  ];
  for (const line of showing) {
    expect([line, of(line, { allow: ['Bash(git:*)'] })]).not.toEqual([line, 'allow']);
    expect([line, of(line, { mode: 'bypassPermissions' })]).not.toEqual([line, 'allow']);
    expect([line, ground.run(`${line}; git reset -q; git stash pop -q`)]).toEqual([
      line,
      expect.stringContaining('HUSH'),
    ]);
  }
  const free = [
    'git add a.txt && git diff --cached',
    'git add sub && git diff --cached',
    'git diff; git add -A',
    'git add -A && git commit -m x',
    'git add -A && git diff --cached --stat',
  ];
  for (const line of free) expect([line, of(line, { mode: 'bypassPermissions' })]).toEqual([line, 'allow']);
});
