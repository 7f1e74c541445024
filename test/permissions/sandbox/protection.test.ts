import { describe, expect } from 'bun:test';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { noSettings } from '../../../src/settings/merge.ts';
import { needs } from '../../support/index.ts';
import { rule } from '../cases.ts';
import { type Room, room, run } from './support.ts';

const test = needs('bwrap');

function put(at: Room, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(at.cwd, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

function repository(at: Room, directory = at.cwd): void {
  mkdirSync(directory, { recursive: true });
  const git = (...args: string[]) => execFileSync('git', args, { cwd: directory, stdio: 'ignore' });
  git('init', '-q', '-b', 'main');
  git('config', 'user.email', 'a@example.com');
  git('config', 'user.name', 'A');
  git('commit', '-q', '--allow-empty', '-m', 'first');
}

describe('C4 what is protected and there', () => {
  const existing = {
    '.vscode/tasks.json': 'old',
    '.mcp.json': 'old',
    '.github/workflows/ci.yml': 'old',
    '.cadre/settings.json': 'old',
    '.claude/settings.json': 'old',
    '.npmrc': 'old',
  };
  for (const name of Object.keys(existing))
    test(`${name} is neither changed, removed nor moved away`, async () => {
      const at = room();
      put(at, existing);
      const top = name.split('/')[0];
      await run(
        at,
        `echo new > ${name}; rm -rf ${top}; mv ${top} elsewhere; mkdir -p ${dirname(name)}; echo new > ${name}`,
      );
      expect(readFileSync(join(at.cwd, name), 'utf8')).toBe('old');
    });

  test('in the directory that the command runs in, and on the way there', async () => {
    const at = room();
    put(at, { 'a/.envrc': 'old', 'a/b/.npmrc': 'old', 'a/b/c/x': '' });
    await run(at, 'cd ../..; echo new > .npmrc; cd ..; echo new > .envrc; mv b z; cd ..; mv a z', {
      in: join(at.cwd, 'a/b/c'),
    });
    expect(readFileSync(join(at.cwd, 'a/.envrc'), 'utf8')).toBe('old');
    expect(readFileSync(join(at.cwd, 'a/b/.npmrc'), 'utf8')).toBe('old');
  });

  test('one that stands behind a link', async () => {
    const at = room();
    put(at, { 'shared/tasks.json': 'old' });
    symlinkSync('shared', join(at.cwd, '.vscode'));
    await run(at, 'echo new > shared/tasks.json; echo new > .vscode/tasks.json');
    expect(readFileSync(join(at.cwd, 'shared/tasks.json'), 'utf8')).toBe('old');
  });
});

describe('C4 what is protected and not there', () => {
  test('settings directories cannot be made, and nothing is left of what stood in for them', async () => {
    const at = room();
    const { text } = await run(at, 'mkdir -p .cadre/x; echo x > .claude/settings.json');
    expect(text.match(/Read-only file system/g)).toHaveLength(2);
    expect(readdirSync(at.cwd)).toEqual([]);
  });

  test('what stands in stays while another command needs it', async () => {
    const at = room();
    const long = run(at, 'until [ -e go ]; do sleep 0.02; done; echo x > .cadre/settings.json');
    while (!existsSync(join(at.cwd, '.cadre'))) await Bun.sleep(5);
    await run(at, 'true');
    expect(existsSync(join(at.cwd, '.cadre'))).toBe(true);
    writeFileSync(join(at.cwd, 'go'), '');
    expect((await long).text).toContain('Read-only');
    expect(existsSync(join(at.cwd, '.cadre'))).toBe(false);
  });

  for (const name of ['.mcp.json', '.vscode/tasks.json', '.envrc', '.github/workflows/x.yml', 'sub/.npmrc'])
    test(`${name} is taken away as soon as the command ended, and that is said`, async () => {
      const at = room();
      mkdirSync(join(at.cwd, 'sub'));
      const { notes } = await run(at, `cd "${at.cwd}"; mkdir -p ${dirname(name)}; echo x > ${name}`, {
        in: join(at.cwd, 'sub'),
      });
      expect(existsSync(join(at.cwd, name))).toBe(false);
      expect(notes).toEqual([expect.stringContaining('were moved to')]);
      const [place = ''] = readdirSync(join(at.home, 'taken'));
      expect(readdirSync(join(at.home, 'taken', place)).sort()).toEqual([
        expect.stringContaining('1-'),
        'where.json',
      ]);
      expect(at.notices).toHaveLength(1);
    });

  test('ordinary files stay', async () => {
    const at = room();
    expect((await run(at, 'mkdir -p .github src; touch .github/x src/y .gitignore')).notes).toEqual([]);
    expect(readdirSync(at.cwd).sort()).toEqual(['.github', '.gitignore', 'src']);
  });
});

describe('git inside', () => {
  test('commits', async () => {
    const at = room();
    repository(at);
    const { code, text } = await run(
      at,
      'echo a > a; git add a; git commit -qm second; git log --format=%s; git gc -q',
    );
    expect([code, text]).toEqual([0, 'second\nfirst\n']);
  });

  test('runs no hook that a command made, and its configuration stays', async () => {
    const at = room();
    repository(at);
    const before = readFileSync(join(at.cwd, '.git/config'), 'utf8');
    await run(
      at,
      'git config core.fsmonitor /tmp/x; echo x > .git/hooks/pre-commit; mv .git g; rm -rf .git/hooks; echo "x" > .git/commondir; echo "* filter=x" > .git/info/attributes',
    );
    expect(readFileSync(join(at.cwd, '.git/config'), 'utf8')).toBe(before);
    expect(existsSync(join(at.cwd, '.git/hooks/pre-commit'))).toBe(false);
    expect(existsSync(join(at.cwd, '.git/commondir'))).toBe(false);
    expect(existsSync(join(at.cwd, '.git/info/attributes'))).toBe(false);
  });

  test('a repository below keeps its configuration too', async () => {
    const at = room();
    repository(at, join(at.cwd, 'sub'));
    await run(at, 'echo x >> sub/.git/config; mv sub s2; mkdir -p sub/.git; echo x > sub/.git/config');
    expect(readFileSync(join(at.cwd, 'sub/.git/config'), 'utf8')).toContain('[user]');
  });

  test('a new repository is taken away: what is in it runs later', async () => {
    const at = room();
    expect((await run(at, 'git init -q')).notes[0]).toContain('.git');
    expect(existsSync(join(at.cwd, '.git'))).toBe(false);
  });

  test('commits in a worktree whose repository is elsewhere, and touches nothing else of that', async () => {
    const at = room();
    const main = join(at.userHome, 'main');
    repository(at, main);
    execFileSync('git', ['worktree', 'add', '-q', join(at.cwd, 'tree')], { cwd: main, stdio: 'ignore' });
    const tree = join(at.cwd, 'tree');
    const scope = { directories: [tree] };
    const done = await run(at, 'echo a > a; git add a; git commit -qm second; git log --format=%s', {
      in: tree,
      scope,
    });
    expect(done).toMatchObject({ code: 0, text: 'second\nfirst\n' });
    const tried = await run(
      at,
      `cd ${main}; echo x > x; echo x >> .git/config; echo x > .git/hooks/x; echo x > .git/worktrees/tree/commondir`,
      { in: tree, scope },
    );
    expect(tried.text.match(/Read-only file system/g)).toHaveLength(4);
  });

  test('a .git file opens nothing that does not point back', async () => {
    const at = room();
    const victim = join(at.userHome, 'victim');
    repository(at, victim);
    writeFileSync(join(at.cwd, '.git'), `gitdir: ${victim}/.git\n`);
    const { text } = await run(at, `touch ${victim}/.git/x`);
    expect(text).toContain('Read-only file system');
  });
});

describe('what is closed for reading', () => {
  test('keys and credentials', async () => {
    const at = room();
    for (const path of [
      '.ssh/id',
      '.aws/credentials',
      '.netrc',
      '.config/gh/hosts.yml',
      '.cadre/keys.json',
    ]) {
      mkdirSync(dirname(join(at.userHome, path)), { recursive: true });
      writeFileSync(join(at.userHome, path), 'secret');
    }
    const { text } = await run(
      at,
      'cat ~/.ssh/id ~/.aws/* ~/.netrc ~/.config/gh/* ~/.cadre/keys.json; ls ~/.ssh',
    );
    expect(text).not.toContain('secret');
    expect(text.trim().split('\n')).toHaveLength(6);
  });

  test('also for commands that are known to change nothing', async () => {
    const at = room();
    writeFileSync(join(at.home, 'keys.json'), 'secret');
    const { text } = await run(at, 'cat ~/.cadre/keys.json', { scope: { writes: 'none' } });
    expect(text).toContain('No such file or directory');
  });

  test('what deny rules name: paths, and names in the workspace', async () => {
    const at = room();
    put(at, {
      '.env': 'secret',
      'private/a': 'secret',
      'b.key': 'secret',
      'c.txt': 'plain',
      'd/e.txt': 'secret',
    });
    const rules = ['Read(.env)', 'Read(./private/**)', 'Read(*.key)', 'Read(d/e.txt)'].map((text) =>
      rule(text, 'deny', at.cwd),
    );
    const { text } = await run(at, 'cat .env private/a b.key d/e.txt c.txt; mv private p2; cat p2/a', {
      scope: { rules },
    });
    expect(text).not.toContain('secret');
    expect(text).toContain('plain');
  });

  test('deny rules on reading hold for a command that may write nothing', async () => {
    const at = room();
    writeFileSync(join(at.cwd, '.env'), 'TOKEN=1');
    const rules = [rule('Read(.env)', 'deny', at.cwd)];
    const { text } = await run(at, 'cat .e*v', { scope: { rules, writes: 'none' } });
    expect(text).not.toContain('TOKEN');
  });

  test('a deny rule on editing makes what it names read-only, and keeps it from being made', async () => {
    const at = room();
    put(at, { 'lib/a': 'old' });
    const rules = ['Edit(./lib/**)', 'Edit(./secret.txt)'].map((text) => rule(text, 'deny', at.cwd));
    await run(at, 'echo new > lib/a; echo x > secret.txt; mv lib l', { scope: { rules } });
    expect(readFileSync(join(at.cwd, 'lib/a'), 'utf8')).toBe('old');
    expect(existsSync(join(at.cwd, 'secret.txt'))).toBe(false);
  });

  test('settings can open what is closed, and open more for writing', async () => {
    const { filesystem } = noSettings().sandbox;
    const at = room({ filesystem });
    const extra = join(at.userHome, 'extra');
    mkdirSync(join(at.userHome, '.aws'));
    mkdirSync(extra);
    writeFileSync(join(at.userHome, '.aws/config'), 'region');
    filesystem.allowRead.push(join(at.userHome, '.aws'));
    filesystem.allowWrite.push(extra);
    expect((await run(at, 'cat ~/.aws/config; echo x > ~/extra/y')).text).toBe('region');
    expect(existsSync(join(extra, 'y'))).toBe(true);
  });
});

test('a workspace that is the home of the user keeps its settings and our state', async () => {
  const at = room();
  writeFileSync(join(at.userHome, '.bashrc'), 'old');
  writeFileSync(join(at.home, 'settings.json'), 'old');
  const { notes } = await run(
    at,
    'echo x > .bashrc; echo x > .cadre/settings.json; echo x > .profile; echo x > free',
    {
      in: at.userHome,
      scope: { directories: [at.userHome] },
    },
  );
  expect(readFileSync(join(at.userHome, '.bashrc'), 'utf8')).toBe('old');
  expect(readFileSync(join(at.home, 'settings.json'), 'utf8')).toBe('old');
  expect(existsSync(join(at.userHome, '.profile'))).toBe(false);
  expect(existsSync(join(at.userHome, 'free'))).toBe(true);
  expect(notes[0]).toContain('.profile');
});

test('the root of the machine is no workspace: nothing is writable then', async () => {
  const at = room();
  const { text } = await run(at, 'touch /cadre-test', { in: '/', scope: { directories: ['/'] } });
  expect(text).toContain('Read-only file system');
});

test('a file beside the workspace can be written where the tool wants one', async () => {
  const at = room();
  const scratch = join(at.home, 'answer');
  await run(at, `echo hello > ${scratch}`, { scratch });
  expect(readFileSync(scratch, 'utf8')).toBe('hello\n');
  expect(lstatSync(scratch).mode & 0o777).toBe(0o600);
});

test('a refusal is explained in one line; a failure of its own is not', async () => {
  const at = room();
  expect((await run(at, 'touch /etc/x')).notes).toEqual([
    `It ran in a sandbox: only ${at.cwd} and its own /tmp can be written, there is no network. If it needs more, call it again with dangerouslyDisableSandbox`,
  ]);
  expect((await run(at, 'echo "2 tests failed"; exit 1')).notes).toEqual([]);
  expect((await run(room({ allowUnsandboxedCommands: false }), 'touch /etc/x')).notes[0]).toContain(
    'nothing may run outside it',
  );
});
