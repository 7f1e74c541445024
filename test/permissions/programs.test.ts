import { expect, test } from 'bun:test';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import type { Programs } from '../../src/shell/programs.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { temporaryDirectory } from '../support/index.ts';
import { type Case, judge } from './cases.ts';

const native = '\x7fELF';
const asdf = '#!/usr/bin/env bash\nexec asdf exec "node" "$@"\n';
const pyenv = '#!/bin/sh\nset -e\nexec "/x/libexec/pyenv" exec "$program" "$@"\n';

/** A home with programs on the search path, and a repository below it. A text that begins with `->` is a link. */
function ground(files: Record<string, string>, more: Partial<Programs> = {}, open: readonly string[] = []) {
  const home = resolveRealPath(temporaryDirectory().path);
  const cwd = join(home, 'repo');
  mkdirSync(cwd);
  for (const [name, text] of Object.entries(files)) put(join(home, name), text.replace('{home}', home));
  for (const name of open) chmodSync(join(home, name), 0o777);
  const directories = ['shims', '.volta/bin', '.local/bin', '.nvm/bin', 'other/bin'];
  const path = [...directories.map((name) => join(home, name)), '/usr/bin:/bin'].join(':');
  const look = lookAtFiles([cwd], undefined, { PATH: path, HOME: home }, () => ({
    ...{ path, isWhole: true, userHome: home },
    ...more,
  }));
  const workspace = { cwd, directories: [], realPath: resolveRealPath, look, userHome: home };
  return (command: string, rest: Partial<Case> = {}) =>
    judge({ accesses: [{ kind: 'shell', command, cwd }], workspace, ...rest });
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  if (text.startsWith('->')) symlinkSync(text.slice(2), path);
  else if (text === 'repository') mkdirSync(path);
  else {
    writeFileSync(path, text, 'latin1');
    chmodSync(path, 0o755);
  }
}

const managed = { 'shims/node': asdf, 'shims/python3': pyenv };

test('a program that a version manager finds by a file of the repository is asked about', () => {
  for (const [command, file] of [
    ['node --version', '.tool-versions'],
    ['python3 --version', '.python-version'],
    ['cd . && node --version', '.tool-versions'],
    ['cd sub && node --version', '.nvmrc'],
    ['find . -name x -exec node --version \\;', '.node-version'],
  ] as const) {
    const { behaviour, reason } = ground({ ...managed, [`repo/${file}`]: 'x', 'repo/sub/x': '' })(command);
    expect([command, behaviour]).toEqual([command, 'ask']);
    expect(reason).toContain(file);
  }
});

test('such a file counts up to the top of the repository, and where a link leads', () => {
  const files = { ...managed, 'repo/x': '' };
  expect(ground({ ...files, '.tool-versions': 'x' })('node --version').behaviour).toBe('allow');
  expect(ground({ ...files, '.git': 'repository', '.tool-versions': 'x' })('node --version').behaviour).toBe(
    'ask',
  );
  const linked = { 'repo/a/b/x': '', 'repo/link': '->a/b', 'repo/a/.tool-versions': 'x' };
  expect(ground({ ...files, ...linked })('cd link && node --version').behaviour).toBe('ask');
});

test('without such a file, and for programs of the system, nothing is asked', () => {
  const judgeLine = ground(managed);
  for (const command of ['node --version', 'python3 --version'])
    expect([command, judgeLine(command).behaviour]).toEqual([command, 'allow']);
  expect(ground({ ...managed, 'repo/.tool-versions': 'x' })('grep x a.txt').behaviour).toBe('allow');
});

test('in directories that a search finds, a version manager may choose anything', () => {
  const judgeLine = ground(managed);
  expect(judgeLine('find . -name x -execdir node --version \\;').behaviour).toBe('ask');
  expect(judgeLine('find . -name x -execdir perl --version \\;').behaviour).toBe('allow');
});

test('a rule for the program answers it', () => {
  const judgeLine = ground({ '.volta/bin/node': '->volta-shim', '.volta/bin/volta-shim': native });
  expect(judgeLine('node --version').behaviour).toBe('ask');
  expect(judgeLine('node --version', { allow: ['Bash(node:*)'] }).behaviour).toBe('allow');
});

const dispatching: Record<string, { files: Record<string, string>; command?: string }> = {
  'a link to Volta': { files: { '.volta/bin/node': '->volta-shim', '.volta/bin/volta-shim': native } },
  'a link to mise': {
    files: { '.local/bin/jq': '->mise', '.local/bin/mise': native },
    command: 'jq . a.json',
  },
  'a program of proto': { files: { 'shims/node': native } },
  'a link to a manager that nobody has heard of': {
    files: { '.local/bin/node': '->chooser', '.local/bin/chooser': native },
  },
  'npm by Corepack': {
    files: {
      '.nvm/bin/npm': '->../lib/node_modules/corepack/dist/npm.js',
      '.nvm/lib/node_modules/corepack/dist/npm.js': '#!/usr/bin/env node\n',
      '.nvm/bin/node': native,
    },
    command: 'npm --version',
  },
  'a shell script': { files: { '.local/bin/node': '#!/bin/sh\nexec "$PWD/node" "$@"\n' } },
  'a script without a first line': { files: { '.local/bin/node': 'exec ./node "$@"\n' } },
  'npm, whose node Volta chooses': {
    files: {
      '.nvm/bin/npm': '->../lib/node_modules/npm/bin/npm-cli.js',
      '.nvm/lib/node_modules/npm/bin/npm-cli.js': '#!/usr/bin/env node\n',
      '.volta/bin/node': '->volta-shim',
      '.volta/bin/volta-shim': native,
    },
    command: 'npm --version',
  },
  'a link into the workspace': { files: { '.local/bin/node': '->../../repo/node', 'repo/node': native } },
  'a script whose interpreter is in the workspace': {
    files: { '.local/bin/black': '#!{home}/repo/.venv/bin/python\n', 'repo/.venv/bin/python': native },
    command: 'black --version',
  },
  'a program of another project': { files: { 'other/.git': 'repository', 'other/bin/node': native } },
};

for (const [what, { files, command = 'node --version' }] of Object.entries(dispatching))
  test(`${what} is asked about`, () => {
    const { behaviour } = ground(files)(command);
    expect(behaviour).toBe('ask');
  });

test('a program in a place that everybody can write is asked about', () => {
  const judgeLine = ground({ '.local/bin/node': native }, {}, ['.local/bin']);
  expect(judgeLine('node --version')).toMatchObject({ behaviour: 'ask' });
});

const itself: Record<string, { files: Record<string, string>; command: string }> = {
  'a program of its name': { files: { '.nvm/bin/node': native }, command: 'node --version' },
  'a version of it': {
    files: { '.local/bin/python3': '->python3.11', '.local/bin/python3.11': native },
    command: 'python3 --version',
  },
  'one with its platform': {
    files: { '.local/bin/jq': '->../share/jq-linux-amd64', '.local/share/jq-linux-amd64': native },
    command: 'jq . a.json',
  },
  'fd as Debian names it': {
    files: { '.local/bin/fd': '->fdfind', '.local/bin/fdfind': native },
    command: 'fd x',
  },
  'a name of busybox': {
    files: { '.local/bin/tree': '->busybox', '.local/bin/busybox': native },
    command: 'tree .',
  },
  'npm of nvm': {
    files: {
      '.nvm/bin/npm': '->../lib/node_modules/npm/bin/npm-cli.js',
      '.nvm/lib/node_modules/npm/bin/npm-cli.js': '#!/usr/bin/env node\n',
      '.nvm/bin/node': native,
    },
    command: 'npm --version',
  },
  'a script of Python': {
    files: { '.local/bin/black': '#!/usr/bin/env python3\nimport sys\n', '.local/bin/python3': native },
    command: 'black --version',
  },
  'no program at all': { files: {}, command: 'uv --version' },
};

for (const [what, { files, command }] of Object.entries(itself))
  test(`${what} is not asked about`, () => {
    expect(ground(files)(command)).toMatchObject({ behaviour: 'allow' });
  });

test('what the login shell may add to the search path is not known before it has answered', () => {
  const judgeLine = ground({}, { isWhole: false });
  expect(judgeLine('uv --version').behaviour).toBe('ask');
  for (const command of ['cd . && echo x', 'grep x a.txt', '[ -f a ] && cat a'])
    expect([command, judgeLine(command).behaviour]).toEqual([command, 'allow']);
});

test('programs of this machine are themselves', () => {
  const cwd = resolveRealPath(temporaryDirectory().path);
  const look = lookAtFiles([cwd], undefined, { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/nonexistent' });
  const workspace = { cwd, directories: [], realPath: resolveRealPath, look };
  for (const command of [
    'ls | head -3',
    'awk 1 a',
    'grep -rn x . | sort | uniq -c',
    'sed -n 1p a; cat a; wc -l a',
    'zcat a.gz; egrep x a; /usr/bin/env ls; which ls; find . -name x -exec grep x {} +',
    'python3 --version; perl --version; node --version; npm --version; git --version; make --version',
    'date; id; uname -a; ps aux; df; du -s .; tr a b; base64 a; xxd a; file a; stat a; tree; jq . a',
  ])
    expect([command, judge({ accesses: [{ kind: 'shell', command, cwd }], workspace })]).toMatchObject([
      command,
      { behaviour: 'allow' },
    ]);
});

test('npm makes the directories that .npmrc of a project names even to tell its version, and is asked about there', () => {
  const files = { '.local/bin/npm': native, '.local/bin/npx': native, 'repo/sub/x': '' };
  const versions = [
    'npm --version',
    'npm -v',
    'npx -v',
    'npx --version',
    'cd sub && npm -v',
    '(cd sub; npm -v)',
  ];
  for (const command of versions) {
    expect([command, ground(files)(command).behaviour]).toEqual([command, 'allow']);
    expect([command, ground({ ...files, '.npmrc': 'x' })(command).behaviour]).toEqual([command, 'allow']);
    const { behaviour, reason } = ground({ ...files, 'repo/.npmrc': 'logs-dir=./x' })(command);
    expect([command, behaviour]).toEqual([command, 'ask']);
    expect(reason).toContain('.npmrc');
  }
  expect(ground({ ...files, 'repo/.npmrc': 'x' })('find . -name x -execdir npm -v \\;').behaviour).toBe(
    'ask',
  );
});

test('a program that another one starts by its name counts like that one', () => {
  const started = {
    jq: 'yq .a data.yaml',
    gzip: 'zcat a.gz',
    grep: 'egrep x a.txt',
    diff: 'diff3 a.txt b.txt c.txt',
    zstd: 'tar tf a.tar.zst',
  };
  for (const [name, command] of Object.entries(started)) {
    const isFree = (files: Record<string, string>) => ground(files)(command).behaviour;
    expect([command, isFree({})]).toEqual([command, 'allow']);
    expect([command, isFree({ [`shims/${name}`]: '#!/bin/sh\nexec mise exec "$0"\n' })]).toEqual([
      command,
      'ask',
    ]);
    expect([
      command,
      isFree({ [`.local/bin/${name}`]: '->../../repo/tools/x', 'repo/tools/x': native }),
    ]).toEqual([command, 'ask']);
    expect([command, isFree({ [`.local/bin/${name}`]: native })]).toEqual([command, 'allow']);
  }
  expect(ground({ 'shims/jq': '#!/bin/sh\nexec mise exec "$0"\n' })('yq . a.yaml').reason).toContain(
    'yq starts jq',
  );
});

test('a program that is missing is not started', () => {
  expect(ground({ '.local/bin/yq': '#!/usr/bin/perl\n' })('yq . a.yaml').behaviour).toBe('allow');
});
