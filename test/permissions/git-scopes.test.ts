import { expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openRunsLater } from '../../src/places/find-runs-later.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { temporaryDirectory } from '../support/index.ts';

function openGround() {
  const top = resolveRealPath(temporaryDirectory().path);
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
  put('repo/README', '');
  expect(find({ GIT_CONFIG_GLOBAL: join(top, 'repo/README/below') })).toBeUndefined();
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

test('above a limit everything in the work tree counts as named', () => {
  const { put, find } = openGround();
  put('repo/.git/config', `[alias]\n\tx = "!tools/x.sh ${'a'.repeat(20_000)}"\n`);
  expect(find()).toContain('alias.x');
  put('repo/.git/config', '');
  const many = Array.from({ length: 2000 }, (_, index) => [`GIT_CONFIG_KEY_${index}`, 'user.name']);
  expect(find({ ...Object.fromEntries(many), GIT_CONFIG_COUNT: '2000' })).toContain('cannot be read');
});

test('the last of many settings in variables is found', () => {
  const { find } = openGround();
  const keys = Array.from({ length: 101 }, (_, index) => [`GIT_CONFIG_KEY_${index}`, 'user.name']);
  const last = { GIT_CONFIG_KEY_100: 'core.hooksPath', GIT_CONFIG_VALUE_100: 'tools' };
  expect(find({ ...Object.fromEntries(keys), ...last, GIT_CONFIG_COUNT: '101' })).toContain('core.hookspath');
});

test('a directory of templates or of git commands is named as a whole', () => {
  const { top, find } = openGround();
  for (const name of ['GIT_TEMPLATE_DIR', 'GIT_EXEC_PATH']) {
    expect(find({ [name]: join(top, 'repo/tools') })).toContain(name);
    expect(find({ [name]: 'tools' })).toContain(name);
    expect(find({ [name]: '/usr/share/git-core' })).toBeUndefined();
  }
  expect(find({ GIT_EXEC_PATH: join(top, 'repo') })).toContain('GIT_EXEC_PATH');
});

test('what is behind a chain of included files is found where a shorter way leads to it', () => {
  const { put, find } = openGround();
  const link = (to: string) => `[includeIf "gitdir:/nowhere/"]\n\tpath = ${to}\n`;
  for (let index = 1; index < 10; index++) put(`repo/.git/c${index}`, link(`c${index + 1}`));
  put('repo/.git/c10', '[include]\n\tpath = c11\n');
  put('repo/.git/c11', names);
  put('repo/.git/config', `${link('c1')}[include]\n\tpath = c10\n`);
  expect(find()).toContain('core.pager');
});

test('programs in the words of an alias are found, and everyday aliases name none', () => {
  const { put, find } = openGround();
  for (const value of [
    'rebase -x ./tools/x.sh',
    'bisect run tools/x.sh',
    'difftool -x tools/x.sh -y',
    'grep -Otools/x.sh x',
    'submodule foreach tools/x.sh',
  ]) {
    put('repo/.git/config', `[alias]\n\tx = ${value}\n`);
    expect([value, find() !== undefined]).toEqual([value, true]);
  }
  for (const value of ['log --oneline -- tools/', 'diff tools/x.sh', 'checkout tools', 'status -sb']) {
    put('repo/.git/config', `[alias]\n\tx = ${value}\n`);
    expect([value, find()]).toEqual([value, undefined]);
  }
});

test('a directory is named by a command that may run what is in it', () => {
  const { put, find } = openGround();
  put('repo/.git/config', '[core]\n\tfsmonitor = node ./tools\n');
  expect(find()).toContain('core.fsmonitor');
  put('repo/.git/config', '[other]\n\tplace = ./tools\n');
  expect(find()).toBeUndefined();
});

test('settings that git hands on to its own processes are read as it quotes them', () => {
  const { find } = openGround();
  const given = (text: string) => find({ GIT_CONFIG_PARAMETERS: text });
  expect(given("'core.pager=tools/x.sh'")).toContain('core.pager');
  expect(given("'core.pager'='tools/x.sh'")).toContain('core.pager');
  expect(given("'user.name'='a' 'filter.a=b.clean'='tools/x.sh'")).toContain('filter.a=b.clean');
  expect(given("'filter.it'\\''s.clean'='tools/x.sh'")).toContain("filter.it's.clean");
  expect(given("'user.name'='it'\\''s' 'core.pager'='tools/x.sh'")).toContain('core.pager');
  expect(given("'core.bare' 'user.name'=")).toBeUndefined();
  expect(given("'core.pager=tools/x.sh")).toContain('cannot be read');
});

test('a configuration that changes twice within a tick of the clock is read again', () => {
  const { top, put } = openGround();
  const find = openRunsLater({ userHome: top, environment: { GIT_CONFIG_SYSTEM: '/dev/null' } });
  const before = '[core]\n\tpager = tools/y.sh\n';
  for (let round = 0; round < 200; round++) {
    put('repo/.git/config', before);
    expect(find(join(top, 'repo/tools/x.sh'))).toBeUndefined();
    put('repo/.git/config', names);
    expect(find(join(top, 'repo/tools/x.sh'))).toContain('core.pager');
  }
});
