import { describe, expect } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { needs } from '../../support/index.ts';
import { git, held, type Room, room, run } from './support.ts';

const test = needs('bwrap');

/** A repository with a submodule, which has one of its own, and worktrees of two agents. */
function withWorktrees(): Room & { tree: string; other: string; data(name: string): string } {
  const at = room();
  const [library, inner] = [join(at.userHome, 'library'), join(at.userHome, 'inner')];
  for (const one of [inner, library, at.cwd]) {
    mkdirSync(one, { recursive: true });
    git(one, 'init', '-q', '-b', 'main');
    for (const text of ['first', 'second']) {
      writeFileSync(join(one, 'a.txt'), text);
      git(one, 'add', 'a.txt');
      git(one, 'commit', '-qm', text);
    }
  }
  git(library, 'submodule', 'add', '-q', inner, 'inner');
  git(library, 'commit', '-qm', 'with inner');
  git(library, 'commit', '-qm', 'last', '--allow-empty');
  git(at.cwd, 'submodule', 'add', '-q', library, 'vendor/sm');
  git(at.cwd, 'commit', '-qm', 'with a submodule');
  writeFileSync(join(at.userHome, '.gitconfig'), '[user]\nname = A\nemail = a@example.com\n');
  const trees = ['one', 'two'].map((name) => {
    const tree = join(at.cwd, '.cadre/worktrees', name);
    git(at.cwd, 'worktree', 'add', '-q', '-b', `cadre/${name}/work`, tree);
    git(tree, 'submodule', 'update', '-q', '--init', '--recursive');
    return tree;
  });
  const [tree = '', other = ''] = trees;
  return {
    ...{ ...at, tree, other },
    data: (name) => join(at.cwd, '.git/worktrees', name, 'modules/vendor/sm'),
  };
}

type Trees = ReturnType<typeof withWorktrees>;

const runInside = (at: Trees, command: string) =>
  run(at, command, { in: at.tree, scope: { directories: [at.tree] } });

describe('in its worktree an agent', () => {
  for (const [what, path, line] of [
    ['checks out another commit of', 'vendor/sm/inner', 'git checkout -q HEAD~1'],
    ['undoes its changes of', 'vendor/sm', 'echo x > a.txt && git add a.txt && git reset -q --hard'],
    ['commits to', 'vendor/sm', 'echo x > n && git add n && git commit -qm n'],
  ] as const)
    test(`${what} the submodule ${path}`, async () => {
      const at = withWorktrees();
      const { code, notes, text } = await runInside(at, `cd ${path} && ${line} && git rev-parse HEAD`);
      expect([code, notes, at.notices]).toEqual([0, [], []]);
      expect(git(join(at.tree, path), 'rev-parse', 'HEAD')).toBe(text.trim());
      expect([held(at), git(join(at.tree, path), 'fsck', '--no-dangling')]).toEqual([[], '']);
    });

  test('changes nothing of what git runs in a submodule', async () => {
    const at = withWorktrees();
    const data = at.data('one');
    const before = readFileSync(join(data, 'config'), 'utf8');
    await runInside(
      at,
      `cd ${data}; echo '[core]' >> config; echo x > hooks/pre-commit; echo x > info/attributes; echo x > objects/info/alternates; echo x > commondir; true`,
    );
    expect(readFileSync(join(data, 'config'), 'utf8')).toBe(before);
    for (const name of ['hooks/pre-commit', 'info/attributes', 'commondir'])
      expect([name, existsSync(join(data, name))]).toEqual([name, false]);
    expect(git(join(at.tree, 'vendor/sm'), 'fsck')).toBe('');
  });

  test('reaches no submodule of another agent or of the main checkout', async () => {
    const at = withWorktrees();
    const places = [at.data('two'), join(at.cwd, '.git/modules/vendor/sm')];
    const tries = places.map((path) => `(echo x > ${path}/evil) 2>/dev/null && echo DONE`);
    const led = `mkdir led; echo "gitdir: ${at.data('two')}" > led/.git`;
    await runInside(at, led);
    const { text } = await runInside(at, `${tries.join('; ')}; true`);
    expect(text).toBe('');
  });
});
