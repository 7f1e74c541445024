import { expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findLocks } from '../../src/sandbox/guard/left-locks.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import { call, say } from '../../src/testing/index.ts';
import { needs, temporaryDirectory } from '../support/index.ts';
import { repository } from './repository.ts';
import { open, type Place } from './support.ts';

const confinedTest = needs('bwrap');

/** A repository with scripts that the user's own settings name, each in another way. */
function ground(): Place {
  const at = repository();
  const files = [
    'fmt.sh',
    'tools/check.py',
    'bin/line',
    'server.py',
    'real/gate.sh',
    'src/a.ts',
    'data.json',
  ];
  for (const path of files) {
    mkdirSync(dirname(join(at.cwd, path)), { recursive: true });
    writeFileSync(join(at.cwd, path), 'old\n');
  }
  chmodSync(join(at.cwd, 'bin/line'), 0o755);
  symlinkSync('real/gate.sh', join(at.cwd, 'gate.sh'));
  const settings = {
    hooks: {
      PostToolUse: [
        {
          matcher: 'Nothing',
          hooks: [
            { type: 'command', command: './fmt.sh data.json && eslint --fix src/ src/*.ts' },
            { type: 'command', command: 'python3 "$CLAUDE_PROJECT_DIR"/tools/check.py' },
            { type: 'command', command: './missing.sh' },
          ],
        },
      ],
    },
    statusLine: { type: 'command', command: 'bin/line --short' },
    worktree: { gate: 'sh gate.sh' },
    mcpServers: { own: { command: 'python3', args: ['server.py'] } },
  };
  writeFileSync(join(at.home, 'settings.json'), JSON.stringify(settings));
  return at;
}

const scripts = ['fmt.sh', 'tools/check.py', 'bin/line', 'server.py', 'real/gate.sh'];
const others = ['src/a.ts', 'src/new.ts', 'data.json'];

async function run(at: Place, turns: Parameters<typeof open>[1], options: SessionOptions) {
  const asked: string[] = [];
  const opened = await open(at, [...turns, say('Done.')], {
    permissionMode: 'acceptEdits',
    onQuestion: async (question) => {
      asked.push(question.decision.reason);
      return { behaviour: 'deny', message: 'No.' };
    },
    ...options,
  });
  await opened.prompt('Go');
  await opened.session.close();
  return asked;
}

confinedTest(
  'a confined command cannot change scripts that Cadre runs for the user, and nothing else is closed',
  async () => {
    const at = ground();
    const all = [...scripts, ...others, 'missing.sh'];
    writeFileSync(join(at.cwd, 'change.sh'), all.map((path) => `echo new > ${path}\n`).join(''));
    await run(at, [call('Bash', { command: 'sh change.sh' })], { sandbox: true });
    for (const path of scripts)
      expect([path, readFileSync(join(at.cwd, path), 'utf8')]).toEqual([path, 'old\n']);
    for (const path of others)
      expect([path, readFileSync(join(at.cwd, path), 'utf8')]).toEqual([path, 'new\n']);
    expect(existsSync(join(at.cwd, 'missing.sh'))).toBe(false);
  },
);

confinedTest('nor those of hooks that agents and plugins bring', async () => {
  const at = repository();
  const plugin = temporaryDirectory().path;
  const hook = (command: string) => ({ PostToolUse: [{ hooks: [{ type: 'command', command }] }] });
  mkdirSync(join(plugin, 'hooks'));
  writeFileSync(
    join(plugin, 'hooks/hooks.json'),
    JSON.stringify({ hooks: hook('"$CLAUDE_PROJECT_DIR"/plug.sh') }),
  );
  mkdirSync(join(at.home, 'agents'), { recursive: true });
  const fields = `name: x\ndescription: d\nhooks: ${JSON.stringify(hook('"$CLAUDE_PROJECT_DIR"/agent.sh'))}`;
  writeFileSync(join(at.home, 'agents/x.md'), `---\n${fields}\n---\nText\n`);
  for (const name of ['plug.sh', 'agent.sh', 'other.sh'])
    writeFileSync(join(at.cwd, name), '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(join(at.cwd, 'change.sh'), 'for x in plug agent other; do echo new > $x.sh; done\n');
  await run(at, [call('Bash', { command: 'sh change.sh' })], { sandbox: true, pluginDirectories: [plugin] });
  const read = (name: string) => readFileSync(join(at.cwd, name), 'utf8');
  expect(['plug.sh', 'agent.sh', 'other.sh'].map(read)).toEqual(['#!/bin/sh\n', '#!/bin/sh\n', 'new\n']);
});

test('tools ask about such a script, and the question names the setting', async () => {
  const at = ground();
  const write = (file_path: string) => call('Write', { file_path, content: 'new' });
  const read = (file_path: string) => call('Read', { file_path });
  const asked = await run(
    at,
    [read('fmt.sh'), read('server.py'), write('fmt.sh'), write('server.py'), write('src/new.ts')],
    {},
  );
  expect(asked.join('\n')).toContain('hooks.PostToolUse in');
  expect(asked.join('\n')).toContain('the MCP server own in');
  expect(asked.length).toBe(2);
});

test('locks of our own are not taken for locks that git left', () => {
  const { path } = temporaryDirectory();
  for (const name of ['cadre-worktrees.lock', 'cadre-landing.lock', 'index.lock'])
    writeFileSync(join(path, name), '');
  expect([...findLocks([path])]).toEqual([join(path, 'index.lock')]);
});

test('the lock of a landing is not taken for one that git left, a forged one is', () => {
  const { path } = temporaryDirectory();
  const lock = join(path, 'index.lock');
  writeFileSync(lock, 'cadre landing abc123\n');
  expect([...findLocks([path])]).toEqual([lock]);
  mkdirSync(join(path, 'cadre-landing/abc123'), { recursive: true });
  expect([...findLocks([path])]).toEqual([]);
  for (const text of [
    'cadre landing ..\n',
    'cadre landing ../x\n',
    'cadre landing abc123',
    'cadre landing abc1\n',
  ]) {
    writeFileSync(lock, text);
    expect([text, ...findLocks([path])]).toEqual([text, lock]);
  }
});

confinedTest('what other programs read in a git directory is taken away or stays as it was', async () => {
  const at = repository();
  writeFileSync(join(at.cwd, '.git/mise.toml'), 'old\n');
  const made = ['.git/gitweb/gitweb_config.perl', '.git/lazygit.yml', '.git/safe/x', '.git/.hg/hgrc'];
  const lines = made.map((path) => `mkdir -p ${dirname(path)}; echo x > ${path}`);
  writeFileSync(join(at.cwd, 'change.sh'), [...lines, 'echo x > .git/mise.toml'].join('\n'));
  await run(at, [call('Bash', { command: 'sh change.sh' })], { sandbox: true });
  for (const path of made) expect([path, existsSync(join(at.cwd, path))]).toEqual([path, false]);
  expect(readFileSync(join(at.cwd, '.git/mise.toml'), 'utf8')).toBe('old\n');
});
