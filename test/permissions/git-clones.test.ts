import { expect, test } from 'bun:test';
import { mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { needs } from '../support/index.ts';
import { type Case, judge, shell } from './cases.ts';
import { openGitGround } from './git-ground.ts';

const gitTest = needs('git');

function behaviour(command: string, more: Partial<Case> = {}): string {
  return judge({ accesses: [shell(command)], allow: ['Bash(git:*)'], ...more }).behaviour;
}

const hidden = [
  ...['http://h/.vscode.git', 'http://h/.vscode', 'http://h/.vscode.git/', 'http://h/.vscode/.git'],
  ...[
    'http://h/.vscode//.git//',
    'h:.vscode.git',
    'h:x/.vscode.git',
    'git@h:.vscode',
    'ssh://u:p@h:22/.vscode.git',
  ],
  ...['.vscode:22', 'http://.vscode:8080/', 'u@.vscode:22', './x/.vscode.bundle', 'http://a@b@h/.vscode'],
];

test('git clone is asked about where git takes a protected name from the address', () => {
  for (const address of hidden)
    for (const line of [
      `git clone ${address}`,
      `git clone --depth 1 ${address}`,
      `git -C src clone ${address}`,
    ])
      expect([line, behaviour(line)]).toEqual([line, 'ask']);
});

test('git clone is asked about where the name that git would take is not certain', () => {
  const odd = [
    "'http://h/.vscode '",
    "$'http://h/\\t.vscode'",
    "'http://h/a b'",
    '"$url"',
    "'http://h/?/.git'",
    'http://h/..',
  ];
  for (const address of odd) {
    const line = `git clone ${address}`;
    expect([line, behaviour(line)]).toEqual([line, 'ask']);
  }
  expect(behaviour('git clone http://h/lib.git src extra')).toBe('ask');
});

test('Edit rules hold for the directory that git clone and others make', () => {
  const deny = ['Edit(lib/**)'];
  const lines = [
    ...[
      'git clone http://h/lib.git',
      'git clone http://h/lib',
      'git clone git@h:x/lib.git',
      'git clone http://h/x.git lib',
    ],
    ...['git clone http://h/x.git lib/', 'git clone http://h/x.git ./lib/y', 'git init lib'],
    ...[
      'git worktree add lib',
      'git worktree add lib main',
      'git worktree add -b x lib main',
      'git -C . clone http://h/lib.git',
    ],
  ];
  for (const line of lines) expect([line, behaviour(line, { deny })]).toEqual([line, 'deny']);
  expect(behaviour('git clone --bare http://h/lib', { deny: ['Edit(lib.git/**)'] })).toBe('deny');
  expect(behaviour('git clone http://h/other.git', { deny })).toBe('allow');
});

test('git submodule is asked about where it writes the list of submodules', () => {
  for (const line of [
    ...[
      'git submodule add http://h/x.git',
      'git submodule add http://h/x.git y',
      'git submodule add http://h/.vscode.git',
    ],
    ...[
      'git submodule set-url x http://h/y',
      'git submodule set-branch -b main x',
      'git submodule --quiet add http://h/x',
    ],
  ])
    expect([line, behaviour(line)]).toEqual([line, 'ask']);
  expect(behaviour('git submodule add http://h/lib.git', { deny: ['Edit(lib/**)'] })).toBe('deny');
  for (const line of [
    'git submodule update --init --recursive',
    'git submodule status',
    'git submodule sync',
  ])
    expect([line, behaviour(line)]).toEqual([line, 'allow']);
});

test('everyday clones are not asked about', () => {
  for (const line of [
    ...[
      'git clone https://h.example/a/tool.git',
      'git clone --depth 1 git@h.example:a/tool.git',
      'git clone https://h/a/tool',
    ],
    ...[
      'git clone https://h.example/a/tool.git src/tool',
      'git clone -b v1 https://h.example/a/.vscode.git notes',
    ],
    ...[
      'git clone --mirror https://h.example/a/tool',
      'git init',
      'git init -q new',
      'git worktree list',
      'git worktree prune',
    ],
    'git worktree remove ../x',
  ])
    expect([line, behaviour(line)]).toEqual([line, 'allow']);
});

gitTest('git takes these names from addresses', () => {
  const ground = openGitGround({ 'a.txt': 'one\n' });
  for (const end of ['.vscode.git', '.vscode', '.vscode/.git', '.vscode.git/', '.vscode/']) {
    const made = mkdtempSync(join(ground.root, 'made-'));
    ground.run(`git clone -q --bare . ${made}/.vscode && cp -r ${made}/.vscode ${made}/.vscode.git`);
    ground.run(
      `mkdir ${made}/out && cd ${made}/out && git clone -q file://${made}/${end.replace('/.git', '')}`,
    );
    expect([end, readdirSync(join(made, 'out'))]).toEqual([end, ['.vscode']]);
  }
});
