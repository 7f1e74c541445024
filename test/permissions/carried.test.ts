import { expect, test } from 'bun:test';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { temporaryDirectory } from '../support/index.ts';
import { type Case, judge } from './cases.ts';

function workspaceWith(files: readonly string[], links: Record<string, string> = {}) {
  const root = join(resolveRealPath(temporaryDirectory().path), 'repo');
  for (const file of files) {
    mkdirSync(join(root, dirname(file)), { recursive: true });
    writeFileSync(join(root, file), '');
  }
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(root, name));
  const workspace = { cwd: root, directories: [], realPath: resolveRealPath, look: lookAtFiles([root]) };
  return (command: string, more: Partial<Case> = {}) =>
    judge({ accesses: [{ kind: 'shell', command, cwd: root }], workspace, mode: 'acceptEdits', ...more })
      .behaviour;
}

test('what is in a directory is judged where it lands', () => {
  const on = workspaceWith([
    't/.git/hooks/pre-commit',
    'u/.claude/settings.json',
    'v/.mcp.json',
    'p/.github/workflows/ci.yml',
    'q/workflows/ci.yml',
    'src/a.ts',
  ]);
  const asked = [
    'cp -r t/. .',
    'cp -R t/. .',
    'cp -a t/ .',
    'cp --recursive t/. x',
    'mv t x',
    'cp -r u/. .',
    'cp -r v/. .',
    'cp -r p/.github .',
    'cp -r p/. .',
    'mv p/.github .',
    'cp -r q .github',
    'mv q .github',
    'cp -r q/. .github',
    'cd t && cp -r . ../x',
    'mkdir w && cp -r src/. w && mv w .github',
    'mkdir -p w/workflows && cp src/a.ts w/workflows/ci.yml && mv w .github',
  ];
  for (const command of asked) expect([command, on(command)]).toEqual([command, 'ask']);
  const allowed = ['cp -r src copy', 'mv src lib', 'mv src/a.ts b.ts', 'cp t/.git/hooks/pre-commit hook.txt'];
  for (const command of allowed) expect([command, on(command)]).toEqual([command, 'allow']);
  expect(on('echo x > tmp && mv tmp src/a.ts')).toBe('allow');
});

test('rules and links of the target hold for all that lands', () => {
  const on = workspaceWith(['t/kept/x', 'src/a.ts', 's/out'], { out: '/etc/hostname' });
  expect(on('cp -r t/. .', { deny: ['Edit(kept/**)'] })).toBe('deny');
  expect(on('cp -r t/. .', { deny: ['Edit(kept/**)'], allow: ['Bash(cp:*)'] })).toBe('deny');
  expect(on('cp -r s/. .')).toBe('ask');
  expect(on('cp -r t/. .')).toBe('allow');
});

test('links are not carried elsewhere unasked: from there they may lead out', () => {
  const on = workspaceWith(['a/b/c/d', 'src/a.ts'], { 'a/b/c/link': '../../..' });
  for (const command of [
    'mv a/b/c/link x && touch x/y',
    'cp -a a/b/c/link x',
    'cp -r a/b/c x && touch x/link/y',
    'mv a/b/c x',
  ])
    expect([command, on(command)]).toEqual([command, 'ask']);
});

test('a directory too large to look through is asked about', () => {
  const on = workspaceWith(Array.from({ length: 2100 }, (_, index) => `many/${index}`));
  expect(on('cp -r many copy')).toBe('ask');
  expect(on('cp many/1 copy')).toBe('allow');
});

test('a copy of what links lead to is judged by that', () => {
  const on = workspaceWith(['pkg/.vscode/tasks.json', 'src/a.ts', 'lib/b.ts', 'hidden/x'], {
    'src/up': '..',
    link: 'pkg',
    plain: 'lib',
    'lib/other': '../hidden',
  });
  const rules = {
    mode: 'default' as const,
    allow: ['Bash(cp:*)', 'Bash(tar:*)', 'Bash(zip:*)', 'Bash(rsync:*)'],
  };
  for (const command of [
    ...['cp -rL src new', 'cp -r --dereference src new', 'cp -aL src new', 'cp -rL link new'],
    ...['cp -r link/ new', 'cp -r link/. new', 'cp -rH link new', 'rsync -a link/ new', 'rsync -aL src new'],
  ])
    expect([command, on(command, rules)]).toEqual([command, 'ask']);
  for (const command of ['cp -r src new', 'cp -r lib/. new', 'cp -r plain/ new', 'cp -L src/a.ts new'])
    expect([command, on(command, rules)]).toEqual([command, 'allow']);
  const refusing = { ...rules, deny: ['Read(hidden/**)'] };
  for (const command of ['cp -rL lib new', 'tar -chf x.tar lib', 'zip -r x.zip lib'])
    expect([command, on(command, refusing)]).not.toEqual([command, 'allow']);
});
