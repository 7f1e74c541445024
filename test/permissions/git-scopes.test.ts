import { expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openRunsLater } from '../../src/permissions/find-runs-later.ts';
import { realPathOf } from '../../src/workspace/real-path.ts';
import { temporaryDirectory } from '../support/index.ts';

function openGround() {
  const top = realPathOf(temporaryDirectory().path);
  const put = (name: string, text: string) => {
    mkdirSync(dirname(join(top, name)), { recursive: true });
    writeFileSync(join(top, name), text);
    return join(top, name);
  };
  put('repo/.git/HEAD', 'ref: refs/heads/main\n');
  put('repo/tools/x.sh', '#!/bin/sh\n');
  const find = (environment: Record<string, string> = {}) =>
    openRunsLater({ userHome: top, environment: { GIT_CONFIG_SYSTEM: '/dev/null', ...environment } })(
      join(top, 'repo/tools/x.sh'),
    );
  return { top, put, find };
}

const names = '[core]\n\tpager = tools/x.sh\n';

test('a setting in a configuration of any readable size is found', () => {
  const { put, find } = openGround();
  expect(find({ GIT_CONFIG_GLOBAL: '/dev/null' })).toBeUndefined();
  put('repo/.git/config', `${'# padding\n'.repeat(200_000)}${names}`);
  expect(find()).toContain('core.pager');
});

test('where a configuration cannot be read all that it could name is protected', () => {
  const large = openGround();
  large.put('repo/.git/config', `${'# padding\n'.repeat(1_000_000)}${names}`);
  expect(large.find()).toContain('cannot be read');
  const piped = openGround();
  execFileSync('mkfifo', [join(piped.top, '.gitconfig')]);
  expect(piped.find()).toContain('cannot be read');
});

test('what is missing, or is a directory, names nothing', () => {
  const { top, put, find } = openGround();
  mkdirSync(join(top, '.gitconfig'));
  put('repo/.git/config', '[include]\n\tpath = /nowhere/x\n');
  expect(find({ GIT_CONFIG_GLOBAL: join(top, 'repo/tools/x.sh/below') })).toBeUndefined();
});

test('a setting behind many others is found', () => {
  const { put, find } = openGround();
  const others = Array.from(
    { length: 6000 },
    (_, index) => `[filter "f${index}"]\n\tclean = bin/f${index}\n`,
  );
  put('repo/.git/config', `${others.join('')}${names}`);
  expect(find()).toBeDefined();
});
