import { expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { temporaryDirectory } from '../support/index.ts';
import { type Case, judge } from './cases.ts';

function ground() {
  const top = resolveRealPath(temporaryDirectory().path);
  const root = join(top, 'repo');
  const userHome = join(top, 'user');
  const home = join(userHome, '.cadre');
  const files = ['a.txt', '.env', '.git/config', '.vscode/tasks.json', 'src/keys/k.txt', 'x.tar'];
  for (const file of [...files.map((name) => join(root, name)), join(home, 'keys.json')]) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '');
  }
  const workspace = {
    ...{ cwd: root, userHome, home, directories: [], realPath: resolveRealPath },
    look: lookAtFiles([root]),
  };
  const on = (command: string, more: Partial<Case> = {}) =>
    judge({ accesses: [{ kind: 'shell', command, cwd: root }], workspace, ...more }).behaviour;
  return { on, home, userHome };
}

const writes = [
  ...[
    'cp -t .git/hooks a.txt',
    'mv -t .vscode a.txt',
    'install -t .git/hooks a.txt',
    'ln -st .git/hooks a.txt',
  ],
  ...['tar xf x.tar -C .git/hooks', 'unzip x -d .git/hooks', 'patch .npmrc p', 'awk -i inplace 1 .npmrc'],
  ...['setsid tee .git/hooks/x', 'sudo tee .git/hooks/x', 'git bundle create .npmrc HEAD', 'tree -o .npmrc'],
  ...['prettier --write .vscode/x.json', 'strace -o .vscode/x ls', 'x --out=.vscode/tasks.json'],
];

test('a rule for every command is none for the protected files that a command names', () => {
  const { on } = ground();
  for (const command of writes) expect([command, on(command, { allow: ['Bash'] })]).toEqual([command, 'ask']);
});

const reads = ['more .env', 'setsid cat .env', 'busybox cat .env', 'sudo cat .env', 'perl -pe 1 .env'];

test('what a rule refuses to be read is refused to programs of which nothing is known', () => {
  const { on } = ground();
  for (const command of [...reads, 'openssl base64 -in .env', 'node --env-file=.env x.js'])
    for (const allow of ['Bash', `Bash(${command.split(' ')[0]}:*)`])
      expect([command, on(command, { allow: [allow], deny: ['Read(.env)'] })]).toEqual([command, 'deny']);
  for (const command of ['prettier --write src/keys/a', 'perl -pi -e 1 src/keys/a', 'cp -t src/keys a.txt'])
    expect([command, on(command, { allow: ['Bash'], deny: ['Edit(src/keys/**)'] })]).toEqual([
      command,
      'deny',
    ]);
});

test('our own keys are refused to every program that the text hands them to', () => {
  const { on, home } = ground();
  const keys = join(home, 'keys.json');
  const commands = [
    ...[`more ${keys} | rev`, `setsid cat ${keys}`, `less ${keys}`, `perl -pe 1 ${keys}`, `source ${keys}`],
    ...[`openssl base64 -in ${keys}`, `cp -t ${home} trust.json`, `busybox cat ${keys}`],
  ];
  for (const command of commands)
    for (const more of [{ mode: 'bypassPermissions' as const }, { allow: ['Bash'] }])
      expect([command, on(command, more)]).toEqual([command, 'deny']);
});

test('removing the home or the workspace is asked about behind programs that run others, in every mode', () => {
  const { on, userHome } = ground();
  const commands = [
    'rm -rf $(pwd)',
    'rm -rf ~+',
    'rm -rf "$(pwd)"',
    `setsid -w rm -rf ${userHome}`,
    'sudo rm -rf /',
  ];
  for (const command of [...commands, `busybox rm -rf ${userHome}`])
    for (const more of [{ mode: 'bypassPermissions' as const }, { allow: ['Bash'] }])
      expect([command, on(command, more)]).toEqual([command, 'ask']);
});

test('where a rule refuses a command, a shell that reads its script from elsewhere is asked about', () => {
  const { on } = ground();
  const more = { allow: ['Bash'], deny: ['Bash(rm:*)'] };
  for (const command of ["echo 'rm a.txt' | sh", 'sh -s < a.txt'])
    expect([command, on(command, more)]).toEqual([command, 'ask']);
  expect(on("bash <<< 'rm a.txt'", more)).toBe('deny');
  expect(on('bash a.sh', more)).toBe('allow');
});

test('ordinary commands under a rule stay free', () => {
  const { on } = ground();
  const more = { allow: ['Bash'], deny: ['Read(.env)', 'Edit(src/keys/**)'] };
  for (const command of [
    'npm test',
    'git add .vscode/tasks.json',
    'node x.js a.txt',
    'make -C src',
    'docker ps',
  ])
    expect([command, on(command, more)]).toEqual([command, 'allow']);
});
