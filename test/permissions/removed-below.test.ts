import { expect, test } from 'bun:test';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { temporaryDirectory } from '../support/index.ts';
import { type Case, judge } from './cases.ts';

function workspaceWith(files: readonly string[], links: Record<string, string> = {}) {
  const root = join(resolveRealPath(temporaryDirectory().path), 'repo');
  const added = join(dirname(root), 'added');
  for (const file of [...files, '../added/lib/.husky/pre-commit']) {
    mkdirSync(join(root, dirname(file)), { recursive: true });
    writeFileSync(join(root, file), '');
  }
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(root, name));
  const workspace = {
    cwd: root,
    directories: [added],
    realPath: resolveRealPath,
    look: lookAtFiles([root, added]),
  };
  return (command: string, more: Partial<Case> = {}) =>
    judge({ accesses: [{ kind: 'shell', command, cwd: root }], workspace, mode: 'acceptEdits', ...more })
      .behaviour;
}

const files = [
  ...[
    'pkg/.git/config',
    'app/deep/.vscode/tasks.json',
    'ci/.github/workflows/a.yml',
    'work/.HUSKY/pre-commit',
  ],
  ...['agent/.claude/settings.json', 'plain/a.txt', 'plain/deep/b.txt', 'src/keys/k.txt', 'src/main.ts'],
  ...['node_modules/one/.vscode/s.json', 'node_modules/one/.npmrc', 'linked/node_modules/two/.git/HEAD'],
];

test('a directory is removed without asking only when nothing in it is protected', () => {
  const on = workspaceWith(files, { alias: 'pkg' });
  const asked = [
    ...['rm -rf pkg', 'rm -r app', 'rm -R ci', 'rm --recursive work', 'rm -fr agent', 'rm -rf plain pkg'],
    ...[
      'mv pkg plain',
      'mv app plain/x',
      'mv work elsewhere',
      'cd app && rm -rf deep',
      'rm -rf ./plain/../pkg',
    ],
    ...[
      'rm -rf ../added/lib',
      'rm -rf linked',
      'rm -rf alias/',
      'd=pkg; rm -rf "$d"',
      'for d in plain app; do rm -rf $d; done',
    ],
  ];
  for (const command of asked) expect([command, on(command)]).toEqual([command, 'ask']);
  const allowed = [
    'rm -rf plain',
    'rm -rf src',
    'rm -rf node_modules',
    'mv plain other',
    'rmdir pkg',
    'rm -f pkg',
    'rm -rf missing',
  ];
  for (const command of allowed) expect([command, on(command)]).toEqual([command, 'allow']);
});

test('a rule about files holds when the directory around them is removed or moved', () => {
  const on = workspaceWith(files, { lane: 'src' });
  expect(on('rm -rf src', { deny: ['Edit(./lane/keys/**)'] })).toBe('deny');
  for (const rule of [
    'Edit(src/keys/**)',
    'Edit(./src/keys/**)',
    'Edit(k.txt)',
    'Edit(//**/src/keys/k.txt)',
  ]) {
    for (const command of ['rm -rf src', 'mv src elsewhere', 'rm -rf src/keys'])
      expect([rule, command, on(command, { deny: [rule] })]).toEqual([rule, command, 'deny']);
    expect(on('rm -rf src', { ask: [rule] })).toBe('ask');
    expect(on('rm -rf plain', { deny: [rule] })).toBe('allow');
  }
  expect(on('rm -rf node_modules', { deny: ['Edit(node_modules/one/**)'] })).toBe('deny');
});

test('a rule for the command does not answer for what is in the directory', () => {
  const on = workspaceWith(files);
  const allow = ['Bash(rm:*)', 'Bash(mv:*)'];
  for (const mode of ['default', 'acceptEdits'] as const) {
    expect(on('rm -rf pkg', { mode, allow })).toBe('ask');
    expect(on('rm -rf *', { mode, allow })).toBe('ask');
    expect(on('rm -rf app/*', { mode, allow })).toBe('ask');
    expect(on('mv pkg elsewhere', { mode, allow })).toBe('ask');
    expect(on('rm -rf src', { mode, allow, deny: ['Edit(src/keys/**)'] })).toBe('deny');
    expect(on('rm -rf s*', { mode, allow, deny: ['Edit(src/keys/**)'] })).toBe('deny');
    expect(on('rm -rf plain', { mode, allow })).toBe('allow');
  }
  expect(on('rm -rf pkg', { mode: 'bypassPermissions' })).toBe('allow');
  expect(on('rm -rf src', { mode: 'bypassPermissions', deny: ['Edit(src/keys/**)'] })).toBe('deny');
});

test('a pattern that lists names is judged by the directories that the shell opens for it', () => {
  const on = workspaceWith(files, { away: '/etc', near: 'plain' });
  for (const command of ['echo awa?/*', 'echo */hosts', 'printf %s a*/*', 'ls -d */*'])
    expect([command, on(command)]).toEqual([command, 'ask']);
  for (const command of ['echo *', 'echo */', 'echo nea?/*', 'echo src/*', 'echo s*/*', 'ls -d p*/*'])
    expect([command, on(command)]).toEqual([command, 'allow']);
});
