import { expect } from 'bun:test';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { needs, temporaryDirectory } from '../support/index.ts';
import { ground } from './snapshot-ground.ts';

/** A `git` that makes a file as soon as it has listed the others, once it is told to. */
function gitThatMakes(file: string) {
  const { path } = temporaryDirectory();
  const flag = join(path, 'armed');
  const make = `case "$*" in *ls-files*) test -e ${flag} && { rm ${flag}; echo 3 > ${file}; };; esac`;
  writeFileSync(join(path, 'git'), `#!/bin/sh\n${Bun.which('git')} "$@"\ncode=$?\n${make}\nexit $code\n`, {
    mode: 0o755,
  });
  return {
    env: { PATH: `${path}:${process.env.PATH}`, HOME: path },
    arm: () => writeFileSync(flag, ''),
    isDone: () => !existsSync(flag),
  };
}

needs('git')(
  'a file that a command makes while the look after another one lists names is its work',
  async () => {
    const at = ground();
    at.write('a', 'old');
    at.git('init', '-q');
    at.git('add', '-A');
    at.git('commit', '-qm', 'Start');
    const git = gitThatMakes(at.file('three'));
    const snapshot = at.open({ env: git.env });
    const first = await snapshot.begin('t1', null);
    const second = await snapshot.begin('t2', null);
    at.write('two', '2');
    git.arm();
    first.end();
    await snapshot.settle();
    expect(git.isDone()).toBe(true);
    second.end();
    await snapshot.settle();
    await snapshot.close();
    expect(at.changes().toSorted()).toEqual([
      ['three', 'shell'],
      ['two', 'shell'],
    ]);
  },
);
