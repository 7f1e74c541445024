import { describe, expect, test as plain } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PathEntry, SandboxPolicy } from '../../../src/protocol/sandbox.ts';
import { explainRefusal } from '../../../src/sandbox/refusal.ts';
import { whyNotEntered } from '../../../src/sandbox/why-not-entered.ts';
import { noSettings } from '../../../src/settings/merge.ts';
import { needs, temporaryDirectory } from '../../support/index.ts';
import { put, type Room, room, roomIn, run } from './support.ts';

const test = needs('bwrap');

describe('the hint that a command was refused something', () => {
  for (const command of [
    'touch /usr/x 2>&1 | tail -1',
    'touch /usr/x 2>&1 | cat; echo done',
    'touch /usr/x || true',
    'python3 -c "import socket; socket.create_connection((\'192.0.2.1\', 80), 1)" 2>&1 | tail -1',
    'touch /usr/x &\nwait; true',
  ])
    test(`is there although the exit code is 0: ${command}`, async () => {
      const { code, notes } = await run(room(), command);
      expect([code, notes.join()]).toEqual([0, expect.stringContaining('It ran in a sandbox')]);
    });

  for (const command of [
    'true',
    'echo a | cat',
    'echo "permission denied" | cat',
    "echo 'Read-only file system'",
  ])
    test(`is not there: ${command}`, async () => {
      expect((await run(room(), command)).notes).toEqual([]);
    });

  for (const [output, way] of [
    ['npm error code EROFS\nnpm error path /home/u/.npm/_cacache/tmp/x', 'npm_config_cache=/tmp/npm'],
    ['Cannot connect to the Docker daemon: permission denied', 'sandbox.excludedCommands'],
    ["fatal: Unable to create '/r/.git/index.lock': Read-only file system", '--add-dir'],
  ] as const)
    plain(`names the way out that stays inside: ${way}`, () => {
      const places = { roots: ['/r/packages/x'], userHome: '/home/u' };
      const ended = { output, command: '', closed: [] };
      expect(explainRefusal(ended, places, { network: false, outside: true })).toContain(way);
    });

  for (const [what, root] of [
    ['in an agent’s worktree', '/r/.cadre/worktrees/x'],
    ['where Cadre was started at the top', '/r'],
    ['for another repository', '/other'],
  ] as const)
    plain(`does not send the user to the top directory ${what}`, () => {
      const output = "fatal: Unable to create '/r/.git/packed-refs.lock': Read-only file system";
      const places = { roots: [root], userHome: '/home/u' };
      const said = explainRefusal({ output, command: '', closed: [] }, places, {
        ...{ network: false, outside: true },
      });
      expect(said).toContain('It ran in a sandbox');
      expect(said).not.toContain('--add-dir');
    });

  for (const [command, named] of [
    ['git remote add other ../o', '.git/config is protected and read-only'],
    ['git remote add other ../o 2>&1 | tail -1', unnamed],
    ['git config user.name z', '.git/config is protected and read-only'],
    ['git branch -u origin/main', '.git/config is protected and read-only'],
    ['git branch -m other', '.git/config is protected and read-only'],
    ['git branch -D side', '.git/config is protected and read-only'],
    ['git sparse-checkout set a', '.git/config is protected and read-only'],
    ['git switch -c x --track origin/main', '.git/config is protected and read-only'],
    ['git checkout -qb x origin/main 2>&1 | tail -3', '.git/config is protected and read-only'],
    ['git remote remove origin 2>&1 | tail -1', unnamed],
    ['sed -i s/a/b/ .npmrc', unnamed],
    ['mv .vscode v', '.vscode is protected and read-only'],
    ['echo x > .npmrc', '.npmrc is protected and read-only'],
    ['cd .vscode && echo x > settings.json', unnamed],
    ["python3 -c \"open('.npmrc', 'w')\"", '.npmrc is protected and read-only'],
    ['touch .npmrc .vscode/new', '.npmrc, '],
  ] as const)
    test(`names what is protected: ${command}`, async () => {
      const at = repository();
      const { notes } = await run(at, command);
      expect(notes.join()).toContain(named);
      expect(notes.join().includes('there is no network')).toBe(named === unnamed);
      expect(at.sandbox.findRefusal?.(command)).toBeDefined();
    });

  test('names what is protected and says what else may be the reason', async () => {
    const { notes } = await run(repository(), 'echo x > .npmrc; touch /usr/x; curl -sS http://192.0.2.1');
    expect(notes.join()).toMatch(
      /can be written, \S+\/\.npmrc is protected and read-only, there is no network/,
    );
  });

  for (const command of ['cat log', 'git log --oneline | cat', 'git switch -qc y'])
    test(`is not there: ${command}`, async () => {
      const at = repository();
      writeFileSync(join(at.cwd, 'log'), 'disk sda: Device or resource busy\n');
      expect((await run(at, command)).notes).toEqual([]);
    });

  test('is there where a tool finds no place for its cache, whatever follows it', async () => {
    const at = room();
    const { code, notes } = await run(at, 'mkdir ~/.cache/x 2>&1 | tail -1');
    expect([code, notes.join()]).toEqual([
      0,
      expect.stringContaining('only toolchains among the dotfiles in the home directory exist inside'),
    ]);
  });

  test('is there where npm cannot write its cache, and not where the setting for it is made', async () => {
    const { path } = temporaryDirectory();
    const cache = join(path, 'user/.npm');
    mkdirSync(cache, { recursive: true });
    const line = 'npm install --offline --no-audit ./p-1.0.0.tgz 2>&1 | tail -2';
    const { filesystem } = noSettings().sandbox;
    const closed = roomIn(path);
    put(closed, { 'package/package.json': '{"name":"p","version":"1.0.0"}', 'package.json': '{"name":"w"}' });
    spawnSync('tar', ['czf', 'p-1.0.0.tgz', 'package'], { cwd: closed.cwd });
    expect((await run(closed, line)).notes.join()).toContain('It ran in a sandbox');
    const open = roomIn(path, { filesystem: { ...filesystem, allowWrite: [cache] } });
    for (const given of [await run(open, line), await run(closed, `npm_config_cache=/tmp/npm ${line}`)])
      expect(given).toMatchObject({ code: 0, notes: [], text: expect.stringMatching(/added 1|up to date/) });
  });

  test('whoever is asked to let the line out sees what was refused', async () => {
    const at = room();
    await run(at, 'touch /usr/x 2>&1 | tail -1');
    expect(at.sandbox.findRefusal?.('touch /usr/x 2>&1 | tail -1')).toContain('Read-only file system');
  });
});

/** Where a program does not name the file that it could not write. */
const unnamed = 'protected paths there, such as .git/config, are read-only';

describe('a server of another command', () => {
  for (const command of [
    'curl -s localhost:3124',
    'curl -sS http://127.0.0.1:3124/x',
    'curl -so /dev/null -w "%{http_code}" http://[::1]:3124',
    'wget -qO- localhost:3124',
    'node -e "fetch(\'http://localhost:3124\')"',
    'python3 -c "import urllib.request; urllib.request.urlopen(\'http://127.0.0.1:3124\')"',
  ])
    test(`cannot be reached, and the result says what to do: ${command}`, async () => {
      const { code, notes } = await run(room(), command);
      expect(code).not.toBe(0);
      expect(notes.join()).toContain('each command has its own loopback');
      expect(notes.join()).toContain('Start the server and query it in one command');
    });

  test('is reached in the same command', async () => {
    const serve = "node -e \"require('http').createServer((_, r) => r.end('served')).listen(3124)\" & s=$!";
    const ask = 'until curl -s localhost:3124; do sleep 0.05; done; kill $s';
    expect(await run(room(), `${serve}; ${ask}`)).toMatchObject({ text: 'served', notes: [] });
  });

  for (const command of ['curl -s http://192.0.2.1 --max-time 1', 'echo localhost; exit 7', 'exit 4'])
    test(`is not mentioned: ${command}`, async () => {
      expect((await run(room(), command)).notes.join()).not.toContain('loopback');
    });
});

/** With a remote, branches that have settings, and protected files. */
function repository(): Room {
  const at = room();
  put(at, { '.npmrc': 'a=1\n', '.vscode/settings.json': '{}\n' });
  const prepare =
    'git init -qb main; git add -A; git commit -qm a; git branch side; git clone -q . ../o; ' +
    'git remote add origin ../o; git fetch -q; git branch -qu origin/main; git branch -qu origin/main side';
  const identity = {
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@b',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@b',
  };
  const env = { PATH: process.env.PATH ?? '', HOME: at.userHome, ...identity };
  const { status, stderr } = spawnSync('/bin/bash', ['-ec', prepare], { cwd: at.cwd, env });
  if (status !== 0) throw new Error(stderr.toString());
  return at;
}

describe('where a command cannot start', () => {
  const entry = (path: string, access: PathEntry['access']): PathEntry => ({
    path,
    access,
    isDirectory: true,
  });
  const policy: SandboxPolicy = {
    paths: [entry('/home/u', 'none'), entry('/home/u/code', 'read'), entry('/tmp/work', 'write')],
    ...{ temporary: '/x', links: [], network: 'none', unixSockets: false, localBinding: false },
  };
  for (const path of ['/home/u', '/home/u/.ssh', '/home/u/codes', '/tmp', '/tmp/other'])
    plain(path, () => expect(whyNotEntered(path, policy)).toBeDefined());
  for (const path of ['/home/u/code', '/home/u/code/a', '/tmp/work/a', '/usr', '/'])
    plain(`not so: ${path}`, () => expect(whyNotEntered(path, policy)).toBeUndefined());

  test('a command that is not started for it leaves nothing behind', async () => {
    const at = room();
    mkdirSync(join(at.userHome, '.ssh'));
    expect(run(at, 'true', { in: join(at.userHome, '.ssh') })).rejects.toThrow('sandbox');
    expect((await run(at, 'mkdir .vscode')).notes.join()).toContain('.vscode');
  });
});
