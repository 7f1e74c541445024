import { expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exploreRole } from '../../src/permissions/roles.ts';
import { emptyLook } from '../../src/places/look.ts';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { temporaryDirectory } from '../support/index.ts';
import { type Case, judge, shell } from './cases.ts';

const on = (command: string, more: Partial<Case> = {}) =>
  judge({ accesses: [shell(command)], ...more }).behaviour;

test('a deny rule is met by whatever find or rg really come across', () => {
  const look = { ...emptyLook, held: () => ['.env', 'a.ts'], isDirectory: () => true };
  const workspace = { cwd: '/repo', directories: [], realPath: (path: string) => path, look };
  const deny = { deny: ['Read(.env)'], workspace };
  const met = [
    'find . ! -exec cat {} \\;',
    'find . ! -name x -exec cat {} \\;',
    'find . ! ! -path -name -o -exec cat {} +',
    "find . -exec cat {} + -name '*.ts'",
    "find . ! -name '*.ts' | xargs cat",
    'rg -ng .env TOKEN',
    'rg -ig .env TOKEN',
  ];
  for (const command of met) expect([command, on(command, deny)]).toEqual([command, 'ask']);
  const fine = [
    "find . -name '*.ts' -exec cat {} +",
    "find . -name node_modules -prune -o -name '*.ts' -print | xargs wc -l",
    "find . -name '*.ts' -not -path './x/*' | xargs cat",
  ];
  for (const command of fine) expect([command, on(command, deny)]).toEqual([command, 'allow']);
});

test('HO5 an ignore file that brings a hidden credential file back to rg is seen', () => {
  const root = join(resolveRealPath(temporaryDirectory().path), 'repo');
  mkdirSync(join(root, 'src'), { recursive: true });
  for (const name of ['.env', 'src/.env', 'src/a.ts']) writeFileSync(join(root, name), 'TOKEN=x');
  const explore = (command: string) => {
    const workspace = { cwd: root, directories: [], realPath: resolveRealPath, look: lookAtFiles([root]) };
    return judge({
      accesses: [{ kind: 'shell', command, cwd: root }],
      workspace,
      role: exploreRole,
    }).behaviour;
  };
  writeFileSync(join(root, '.gitignore'), '.env\n!.env.example\n');
  expect([explore('rg TOKEN'), explore('rg TOKEN src')]).toEqual(['allow', 'allow']);
  for (const line of ['!.env', '!/src/.env ', '!.e*', '!*']) {
    writeFileSync(join(root, '.ignore'), `${line}\n`);
    expect([line, explore('rg TOKEN'), explore('rg TOKEN src')]).toEqual([line, 'deny', 'deny']);
  }
});

test('a file that find compares with is judged like one that is listed', () => {
  const on = (command: string) => judge({ accesses: [shell(command)] }).behaviour;
  for (const command of [
    'find . -newer /etc/passwd',
    'find . -anewer ../x',
    'find . -cnewer /etc/passwd',
    'find . -samefile /etc/passwd',
    'find . -newermm /etc/passwd',
  ])
    expect([command, on(command)]).toEqual([command, 'ask']);
  for (const command of [
    'find . -newer package.json',
    'find . -samefile a.ts',
    "find . -newermt '1 day ago'",
  ])
    expect([command, on(command)]).toEqual([command, 'allow']);
});

test('variables of the environment that are no secret are printed by name', () => {
  const on = (command: string) => judge({ accesses: [shell(command)] }).behaviour;
  for (const command of ['printenv PATH', 'printenv HOME SHELL'])
    expect([command, on(command)]).toEqual([command, 'allow']);
  for (const command of ['printenv', 'printenv API_KEY', 'printenv PATH API_KEY', 'printenv "$x"', 'env'])
    expect([command, on(command)]).toEqual([command, 'ask']);
});
