import { expect } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { PathEntry } from '../../../src/protocol/sandbox.ts';
import { processFiles } from '../../../src/sandbox/bwrap/mounts.ts';
import { enterVerified } from '../../../src/sandbox/bwrap/verify-mounts.ts';
import { needs, temporaryDirectory } from '../../support/index.ts';

const test = needs('bwrap');

/** What a shell says that looks at its mounts first, where these are mounted for writing and those are allowed. */
function look(
  shell: string,
  mounted: string[],
  allowed: string[],
  more: string[] = [],
): [number | null, string] {
  const { path: temporary } = temporaryDirectory();
  const paths = allowed.map((path): PathEntry => ({ path, access: 'write', isDirectory: true }));
  const policy = {
    paths,
    temporary,
    links: [],
    network: 'none',
    unixSockets: false,
    localBinding: false,
  } as const;
  const command = enterVerified(policy, { file: shell, args: ['-c', 'echo ran'] });
  const binds = mounted.flatMap((path) => ['--bind', path, path]);
  const mounts = ['--ro-bind', '/', '/', '--dev', '/dev', ...processFiles, ...binds, ...more];
  const { status, stdout } = spawnSync('bwrap', ['--unshare-all', ...mounts, '--', ...command], {
    encoding: 'utf8',
  });
  return [status, stdout.trim()];
}

function directories(): { work: string; inner: string; other: string } {
  const { path } = temporaryDirectory();
  const [work, other] = [join(path, 'a work[x]*'), join(path, 'a work[x]*y')];
  const inner = join(work, 'in\\ner');
  for (const one of [inner, other]) mkdirSync(one, { recursive: true });
  return { work, inner, other };
}

for (const shell of ['/bin/bash', '/bin/dash']) {
  test(`${shell} runs the command where all that can be written is what was meant`, () => {
    const { work, inner } = directories();
    expect(look(shell, [work, inner], [work, inner])).toEqual([0, 'ran']);
  });

  test(`${shell} runs nothing where something else can be written`, () => {
    const { work, inner, other } = directories();
    expect(look(shell, [work, inner, other], [work, inner])).toEqual([125, '']);
  });

  test(`${shell} runs nothing where the first process inside can be seen`, () => {
    const { work, inner } = directories();
    expect(look(shell, [work, inner], [work, inner], ['--proc', '/proc', '--remount-ro', '/proc'])).toEqual([
      125,
      '',
    ]);
  });

  test(`${shell} runs nothing where the mounts cannot be read`, () => {
    const { work, inner } = directories();
    expect(look(shell, [work], [work, inner], ['--tmpfs', '/proc'])).toEqual([125, '']);
  });
}
