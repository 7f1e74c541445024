import { expect, test } from 'bun:test';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lookAtFiles } from '../../src/permissions/look-files.ts';
import { realPathOf } from '../../src/workspace/real-path.ts';
import { temporaryDirectory } from '../support/index.ts';
import { type Case, judge } from './cases.ts';

function ground(files: Record<string, string> = {}) {
  const top = realPathOf(temporaryDirectory().path);
  const [cwd, shims, bin] = ['repo', 'shims', 'bin'].map((name) => join(top, name)) as [
    string,
    string,
    string,
  ];
  for (const directory of [cwd, shims, bin]) mkdirSync(directory);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  const program = (path: string, text: string) => {
    writeFileSync(path, text);
    chmodSync(path, 0o755);
  };
  program(join(shims, 'node'), '#!/usr/bin/env bash\nexec asdf exec "node" "$@"\n');
  program(join(bin, 'mise'), 'ELF');
  symlinkSync('mise', join(bin, 'jq'));
  program(join(bin, 'python3'), '#!/bin/sh\nset -e\nexec "/x/libexec/pyenv" exec "$program" "$@"\n');
  const look = lookAtFiles([cwd], undefined, { PATH: `${shims}:${bin}:/usr/bin:/bin` });
  const workspace = { cwd, directories: [], realPath: realPathOf, look };
  return (command: string, more: Partial<Case> = {}) =>
    judge({ accesses: [{ kind: 'shell', command, cwd }], workspace, ...more }).behaviour;
}

test('a program that a version manager finds by a file of the repository is asked about', () => {
  for (const [command, file] of [
    ['node --version', '.tool-versions'],
    ['jq . a.json', '.mise.toml'],
    ['python3 --version', '.python-version'],
    ['cd . && node --version', '.tool-versions'],
    ['echo x | jq .', 'mise.toml'],
  ] as const)
    expect([command, ground({ [file]: 'x' })(command)]).toEqual([command, 'ask']);
});

test('without such a file, and for programs of the system, nothing is asked', () => {
  for (const command of ['node --version', 'jq . a.json', 'python3 --version'])
    expect([command, ground()(command)]).toEqual([command, 'allow']);
  expect(ground({ '.tool-versions': 'x' })('grep x a.txt')).toBe('allow');
});

test('a rule for the program answers it', () => {
  expect(ground({ '.tool-versions': 'x' })('node --version', { allow: ['Bash(node:*)'] })).toBe('allow');
});
