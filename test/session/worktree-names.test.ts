import { expect, test } from 'bun:test';
import { existsSync, linkSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ModelRequest } from '../../src/protocol/index.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import { call, say, type Turn, toolResultText } from '../../src/testing/index.ts';
import { needs } from '../support/index.ts';
import { git, repository } from './repository.ts';
import { open, type Place } from './support.ts';

const confinedTest = needs('bwrap');
const secret = 'SECRET-2';
const tree = '.cadre/worktrees/w';

/** Closed files, by the name that a second one of each has in the workspace. */
const closed = {
  keys: '.cadre/keys.json',
  ssh: '.ssh/id_rsa',
  token: '.npmrc',
  ruled: 'private/f',
  listed: 'hidden/f',
};

/** A repository in which some directories are ignored, and whose files of those names are second names of closed ones. */
function checkout(directory: string): Place {
  const at = repository();
  const userHome = at.environment.HOME ?? '';
  write(at.cwd, { '.gitignore': '*.ign\n/copied/\n/node_modules/\n/secrets/\n', 'secrets/f': secret });
  write(at.cwd, { 'look.sh': 'cat *.ign copied/* "$1"*.ign | rev; echo end\n' });
  git(at.cwd, 'add', '--all');
  git(at.cwd, 'commit', '--quiet', '--message=More');
  write(at.cwd, { [join(directory, 'open.ign')]: 'open\n' });
  linkSync(join(at.cwd, 'secrets/f'), join(at.cwd, directory, 'inside.ign'));
  for (const [name, path] of Object.entries(closed)) {
    write(userHome, { [path]: secret });
    linkSync(join(userHome, path), join(at.cwd, directory, `${name}.ign`));
  }
  return at;
}

function write(directory: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
}

async function run(at: Place, calls: Turn[], options: SessionOptions): Promise<string[]> {
  const opened = await open(at, [...calls, say('Done.')], {
    onQuestion: async () => ({ behaviour: 'allow' }),
    ...options,
  });
  await opened.prompt('Go');
  await opened.session.close();
  return opened.model.requests.slice(1).map((request) => toolResultText(request as ModelRequest));
}

function settings(worktree: Record<string, unknown>): SessionOptions {
  return {
    settings: JSON.stringify({
      worktree,
      permissions: { deny: ['Read(./secrets/**)', 'Read(~/private/**)'] },
      sandbox: { filesystem: { denyRead: ['~/hidden'] } },
    }),
  };
}

const enter = call('EnterWorktree', { name: 'w' });
/** A worktree without changes is removed at the end. */
const keep = call('Write', { file_path: 'b.txt', content: 'b' });
const names = [...Object.keys(closed), 'inside'].map((name) => `${name}.ign`);

function expectHeldBack(at: Place, directory: string, said: string | undefined): void {
  const path = join(at.cwd, tree, directory);
  for (const name of names)
    expect({ name, there: existsSync(join(path, name)), said: said?.includes(name) }).toEqual({
      name,
      there: false,
      said: true,
    });
  expect(readFileSync(join(path, 'open.ign'), 'utf8')).toBe('open\n');
}

test('.worktreeinclude brings no second name of a closed file, and the result says so', async () => {
  const at = checkout('');
  write(at.cwd, { '.worktreeinclude': '*.ign\n' });
  const [entered] = await run(at, [enter, keep], settings({}));
  expectHeldBack(at, '', entered);
});

test('worktree.copyDirectories brings no second name of a closed file, and the result says so', async () => {
  const at = checkout('copied/deep');
  const [entered] = await run(at, [enter, keep], settings({ copyDirectories: ['copied'] }));
  expectHeldBack(at, 'copied/deep', entered);
});

test('a large directory that is copied for want of a sandbox brings no second name of a closed file', async () => {
  const at = checkout('node_modules/x');
  const [entered] = await run(at, [enter, keep], { ...settings({}), sandbox: false });
  expectHeldBack(at, 'node_modules/x', entered);
});

test('uncommitted changes bring no second name of a closed file, in no commit either, and the result says so', async () => {
  const at = checkout('new');
  git(at.cwd, 'rm', '--quiet', '--cached', '.gitignore');
  writeFileSync(join(at.cwd, '.gitignore'), '/secrets/\n');
  const [entered] = await run(at, [enter, keep], settings({ uncommitted: true }));
  expectHeldBack(at, 'new', entered);
  expect(git(at.cwd, 'cat-file', '--batch-all-objects', '--batch')).not.toContain(secret);
});

confinedTest(
  'a confined command in a worktree reads no closed file by its second name, there or in the main checkout',
  async () => {
    const at = checkout('');
    write(at.cwd, { '.worktreeinclude': '*.ign\n' });
    const [, shown] = await run(at, [enter, call('Bash', { command: `sh look.sh ${at.cwd}/` })], {
      ...settings({}),
      sandbox: true,
    });
    expect(shown).toContain('end');
    expect(shown).not.toContain([...secret].reverse().join(''));
  },
);

confinedTest(
  'a confined command that only searches finds no key or credential by its second name',
  async () => {
    const at = checkout('');
    const options = {
      sandbox: true,
      onQuestion: async () => ({ behaviour: 'deny' as const, message: 'No.' }),
    };
    const [shown] = await run(at, [call('Bash', { command: 'grep -rc SECRET . | sort' })], options);
    const counts = shown?.split('\n') ?? [];
    for (const name of ['keys', 'ssh', 'token']) expect(counts).not.toContain(`./${name}.ign:1`);
    // No rule closes these here.
    for (const name of ['inside', 'ruled']) expect(counts).toContain(`./${name}.ign:1`);
  },
);
