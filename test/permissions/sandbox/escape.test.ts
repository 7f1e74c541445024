import { describe, expect } from 'bun:test';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { noSettings } from '../../../src/settings/merge.ts';
import { needs } from '../../support/index.ts';
import { room, run } from './support.ts';

const test = needs('bwrap');

function put(path: string, text = 'old'): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const read = (...parts: string[]) => readFileSync(join(...parts), 'utf8');

function git(directory: string, ...args: string[]): void {
  mkdirSync(directory, { recursive: true });
  execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
    cwd: directory,
    stdio: 'ignore',
  });
}

describe('what clears up behind a command follows no link of its making', () => {
  test('into other directories that have protected names', async () => {
    const at = room();
    const outside = ['.config/git/config', '.config/fish/config.fish', 'other/.github/workflows/ci.yml'];
    for (const name of outside) put(join(at.userHome, name));
    const { notes } = await run(at, 'ln -s ~/.config .config; ln -s ~/other/.github .github');
    expect(outside.filter((name) => !existsSync(join(at.userHome, name)))).toEqual([]);
    expect(readdirSync(at.cwd)).toEqual([]);
    expect(notes[0]).toContain('were moved to');
  });

  test("into another repository's .git", async () => {
    const at = room();
    git(at.cwd, 'init', '-q');
    put(join(at.userHome, 'other/.git/info/attributes'));
    await run(at, 'rm -rf .git/info; ln -s ~/other/.git/info .git/info');
    expect(existsSync(join(at.userHome, 'other/.git/info/attributes'))).toBe(true);
    expect(existsSync(join(at.cwd, '.git/info/attributes'))).toBe(false);
  });

  test('nor does whoever mounts: /tmp of the session leads nowhere', async () => {
    const at = room();
    const [, , top = ''] = at.cwd.split('/');
    mkdirSync(join(at.userHome, 'victim'));
    await run(at, `mv /tmp/${top} /tmp/gone; ln -s /oldroot${at.userHome}/victim /tmp/${top}`);
    put(join(at.directory, 'tmp', 'planted'));
    await run(at, `rm -rf /tmp/${top}; ln -s /oldroot${at.userHome}/victim /tmp/${top}`);
    expect((await run(at, 'echo works; cat /tmp/planted')).text).toBe('works\nold');
    expect(readdirSync(join(at.userHome, 'victim'))).toEqual([]);
  });
});

describe('C4 protected paths that are links', () => {
  test('are put back when a command replaces or removes them', async () => {
    const at = room();
    for (const name of ['shared/tasks.json', 'settings']) put(join(at.cwd, name));
    symlinkSync('shared', join(at.cwd, '.vscode'));
    symlinkSync('settings', join(at.cwd, '.npmrc'));
    symlinkSync('nowhere', join(at.cwd, '.envrc'));
    const { notes } = await run(
      at,
      'rm .vscode .npmrc .envrc; mkdir .vscode; echo evil > .vscode/tasks.json; echo evil > .npmrc',
    );
    expect([read(at.cwd, '.vscode/tasks.json'), read(at.cwd, '.npmrc')]).toEqual(['old', 'old']);
    expect(readlinkSync(join(at.cwd, '.envrc'))).toBe('nowhere');
    expect(notes.join('\n')).toContain('were restored');
  });

  test('settings behind a link cannot be swapped for others', async () => {
    const at = room();
    put(join(at.userHome, 'dotfiles/settings.json'));
    symlinkSync(join(at.userHome, 'dotfiles'), join(at.cwd, '.claude'));
    await run(at, 'rm .claude; mkdir .claude; echo evil > .claude/settings.json');
    expect(read(at.cwd, '.claude/settings.json')).toBe('old');
  });
});

describe('what git would run or follow later, outside', () => {
  test('a repository below, among however many directories', async () => {
    const at = room();
    git(join(at.cwd, 'zz'), 'init', '-q');
    await run(at, 'mkdir d{1..900}');
    await run(at, 'echo evil >> zz/.git/config; echo evil > zz/.git/hooks/x');
    expect(read(at.cwd, 'zz/.git/config')).not.toContain('evil');
    expect(existsSync(join(at.cwd, 'zz/.git/hooks/x'))).toBe(false);
  });

  test('a repository deep below keeps its configuration, and is not moved away', async () => {
    const at = room();
    git(join(at.cwd, 'a/b/c'), 'init', '-q');
    put(join(at.cwd, 'a/b/.npmrc'));
    await run(at, 'echo evil >> a/b/c/.git/config; mv a/b/c/.git x; mv a z; echo evil > a/b/.npmrc');
    expect(read(at.cwd, 'a/b/c/.git/config')).not.toContain('evil');
    expect(read(at.cwd, 'a/b/.npmrc')).toBe('old');
  });

  test('a git directory under another name', async () => {
    const at = room();
    git(at.cwd, 'init', '-q');
    renameSync(join(at.cwd, '.git'), join(at.cwd, '.bare'));
    put(join(at.cwd, '.git'), 'gitdir: ./.bare\n');
    await run(at, 'echo evil >> .bare/config; echo evil > .bare/hooks/pre-commit');
    expect(read(at.cwd, '.bare/config')).not.toContain('evil');
    expect(existsSync(join(at.cwd, '.bare/hooks/pre-commit'))).toBe(false);
  });

  test('a planted bare repository is none any more', async () => {
    const at = room();
    git(at.cwd, 'init', '-q');
    const { notes } = await run(
      at,
      'rm .git/HEAD; mkdir objects refs; echo "ref: refs/heads/main" > HEAD; echo "[core] fsmonitor=x" > config',
    );
    expect(existsSync(join(at.cwd, 'HEAD'))).toBe(false);
    expect(notes[0]).toContain('HEAD');
  });

  test('hooks and settings that its configuration leads to', async () => {
    const at = room();
    git(at.cwd, 'init', '-q');
    git(at.cwd, 'config', 'core.hooksPath', '.githooks');
    git(at.cwd, 'config', 'include.path', '../team.gitconfig');
    for (const name of ['.githooks/pre-commit', 'team.gitconfig']) put(join(at.cwd, name));
    await run(at, 'echo evil > .githooks/pre-commit; echo evil > team.gitconfig; mv .githooks x');
    expect([read(at.cwd, '.githooks/pre-commit'), read(at.cwd, 'team.gitconfig')]).toEqual(['old', 'old']);
  });

  test("a relative hooks path in the user's own configuration, there or not, also of a worktree", async () => {
    const at = room();
    git(at.cwd, 'init', '-q');
    writeFileSync(join(at.userHome, '.gitconfig'), '[core]\n\thooksPath = ci/hooks\n');
    const { notes } = await run(at, 'mkdir -p ci/hooks; echo evil > ci/hooks/pre-commit');
    expect(existsSync(join(at.cwd, 'ci/hooks'))).toBe(false);
    expect(notes.join()).toContain('ci/hooks');
    git(at.cwd, 'commit', '-q', '--allow-empty', '-m', 'x');
    git(at.cwd, 'worktree', 'add', '-q', '.cadre/worktrees/one');
    const own = join(at.cwd, '.cadre/worktrees/one');
    for (const top of [at.cwd, own]) put(join(top, 'ci/hooks/pre-commit'));
    await run(at, 'echo evil > ci/hooks/pre-commit; mv ci x');
    expect(read(at.cwd, 'ci/hooks/pre-commit')).toBe('old');
    await run(at, 'echo evil > ci/hooks/pre-commit; mv ci x', { in: own, scope: { directories: [own] } });
    expect(read(own, 'ci/hooks/pre-commit')).toBe('old');
  });

  test('hooks of a submodule that is yet to come', async () => {
    const at = room();
    git(at.cwd, 'init', '-q');
    await run(at, 'mkdir -p .git/modules/sub/hooks; echo evil > .git/modules/sub/hooks/post-checkout');
    expect(existsSync(join(at.cwd, '.git/modules'))).toBe(false);
  });

  test('links in .git, through which the next commit would write', async () => {
    const at = room();
    git(at.cwd, 'init', '-q');
    put(join(at.userHome, '.bashrc'));
    await run(
      at,
      'mkdir -p .git/logs/refs; ln -sf ~/.bashrc .git/logs/HEAD; ln -s ~ .git/logs/refs/heads; ln -s ~/.bashrc .git/COMMIT_EDITMSG',
    );
    git(at.cwd, 'commit', '-q', '--allow-empty', '-m', '$(evil)');
    expect(read(at.userHome, '.bashrc')).toBe('old');
    expect(readdirSync(at.userHome).sort()).toEqual(['.bashrc', '.cadre']);
  });

  test('links in .git, wherever git or its user could write through them', async () => {
    const at = room();
    git(at.cwd, 'init', '-q');
    put(join(at.userHome, '.bashrc'));
    const places = ['rebase-merge/message', 'sequencer/todo', 'objects/ab/x', 'lfs/tmp', 'deep/er/still'];
    for (const place of places) {
      await run(at, `mkdir -p .git/${dirname(place)}; ln -s ~/.bashrc .git/${place}`);
      expect([place, lstatSync(join(at.cwd, '.git', place), { throwIfNoEntry: false })]).toEqual([
        place,
        undefined,
      ]);
    }
  });
});

describe('files with a name outside', () => {
  test('are read-only', async () => {
    const at = room();
    put(join(at.userHome, 'store'));
    linkSync(join(at.userHome, 'store'), join(at.cwd, 'linked'));
    await run(at, 'echo evil > linked; chmod 777 linked; mv linked x');
    expect(read(at.userHome, 'store')).toBe('old');
  });

  test('many of them are closed by the directories that hold them', async () => {
    const at = room();
    for (let index = 0; index < 60; index++) {
      put(join(at.userHome, `store/${index}`));
      const name = join(at.cwd, 'node_modules/.pnpm', `p${index % 30}`, `${index}.js`);
      mkdirSync(dirname(name), { recursive: true });
      linkSync(join(at.userHome, `store/${index}`), name);
    }
    const { text } = await run(
      at,
      'for f in node_modules/.pnpm/*/*; do echo evil > $f; done; echo fine > other; cat other',
    );
    expect(text).toEndWith('fine\n');
    expect(Array.from({ length: 60 }, (_, index) => read(at.userHome, `store/${index}`))).not.toContain(
      'evil\n',
    );
  });

  test('those whose names are all in the workspace stay writable, as builds need them', async () => {
    const at = room();
    put(join(at.cwd, 'target/deps/x-1'));
    linkSync(join(at.cwd, 'target/deps/x-1'), join(at.cwd, 'target/x'));
    await run(at, 'echo new > target/x');
    expect(read(at.cwd, 'target/deps/x-1')).toBe('new\n');
  });
});

test('a directory that may be written and is not there yet does not become a way out', async () => {
  const { filesystem } = noSettings().sandbox;
  const at = room({ filesystem: { ...filesystem, allowWrite: [] } });
  const other = room({ filesystem: { ...filesystem, allowWrite: [join(at.cwd, 'build')] } });
  const both = { ...at, sandbox: other.sandbox };
  await run(both, 'ln -s ~ build');
  await run(both, 'echo evil > ~/evil; echo evil > build/evil');
  expect(existsSync(join(at.userHome, 'evil'))).toBe(false);
});
