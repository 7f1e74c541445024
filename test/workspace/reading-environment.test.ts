import { expect, test } from 'bun:test';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { openVariables } from '../../src/shell/walk/variables.ts';
import { openEnvironment } from '../../src/tools/bash/environment.data.ts';
import { readingEnvironment, tellTreatment } from '../../src/workspace/reading-environment.ts';
import { quietVariables, readingVariables } from '../../src/workspace/reading-variables.data.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { temporaryDirectory } from '../support/index.ts';

const listed = new Set(
  readingVariables.flatMap(({ kept, places, versions, dropped }) =>
    [kept, places, versions, dropped].flatMap((names) => names.split(' ')),
  ),
);

test('every variable that commands get has its treatment', () => {
  const names = openEnvironment.flatMap((row) => row.names.split(' '));
  expect(names.filter((name) => !listed.has(name) && !isCovered(name))).toEqual([]);
});

/** By an entry for a part of the same family. */
function isCovered(name: string): boolean {
  return [...listed].some((one) => one.endsWith('*') && name.startsWith(one.slice(0, -1)) && one !== '*');
}

test('variables that may be printed are as the user has them', () => {
  for (const name of openVariables)
    expect([name, tellTreatment(name)]).toEqual([name, name === 'PATH' ? 'places' : 'kept']);
});

test('options and code for interpreters and loaders are dropped', () => {
  const names =
    'PYTHONSTARTUP PYTHONWARNINGS PYTHONBREAKPOINT PERL5OPT NODE_OPTIONS RUBYOPT LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES ' +
    'GCONV_PATH JAVA_TOOL_OPTIONS _JAVA_OPTIONS LUA_PATH LUA_CPATH LUA_PATH_5_4 LUA_INIT GOFLAGS BASH_ENV ENV BASH_FUNC_ls%% ' +
    'GIT_DIR GIT_CONFIG_COUNT GIT_EXTERNAL_DIFF GIT_SSH_COMMAND LESSOPEN LESS GREP_OPTIONS RIPGREP_CONFIG_PATH TAR_OPTIONS MAKEFLAGS OPENSSL_CONF ' +
    'npm_config_node_options YARN_IGNORE_PATH PIP_CONFIG_FILE RUSTC_WRAPPER MYTOOL_OPTS';
  for (const name of names.split(' ')) expect([name, tellTreatment(name)]).toEqual([name, 'dropped']);
});

test('lists of places lose what is empty, relative, or in the workspace, by any name', () => {
  const top = resolveRealPath(temporaryDirectory().path);
  const [work, own, link] = ['work', 'own', 'link'].map((name) => join(top, name)) as [
    string,
    string,
    string,
  ];
  for (const directory of [work, own]) mkdirSync(directory);
  symlinkSync(work, link);
  const clean = (value: string, name = 'LD_LIBRARY_PATH') =>
    readingEnvironment({ [name]: value }, { places: () => [work], userHome: '/nonexistent' })[name];
  expect(clean(`${own}:`)).toBe(own);
  expect(clean(`:${own}::lib:./lib:${work}/lib:${link}:${own}/../work`)).toBe(own);
  expect(clean(`${own}:/usr/lib`)).toBe(`${own}:/usr/lib`);
  for (const value of ['', '.', work, link, `${own};${work}`, '$ORIGIN/x', '/$LIB/../x', '~/lib'])
    expect([value, clean(value)]).toEqual([value, undefined]);
  for (const name of [
    'PYTHONPATH',
    'PERL5LIB',
    'NODE_PATH',
    'RUBYLIB',
    'MAGIC',
    'TERMINFO',
    'XDG_CONFIG_HOME',
    'OWN_PATH',
  ])
    expect([name, clean('x', name), clean(own, name)]).toEqual([name, undefined, own]);
});

test('a search path of which nothing is left is the one of the system', () => {
  const place = { places: () => ['/work'], userHome: '/x' };
  for (const PATH of ['', '.', '/work/bin'])
    expect(readingEnvironment({ PATH }, place).PATH).toBe('/usr/local/bin:/usr/bin:/bin');
});

test('names of versions stay where they lead nowhere', () => {
  const clean = (value: string) =>
    readingEnvironment({ PYENV_VERSION: value }, { places: () => [], userHome: '/x' }).PYENV_VERSION;
  expect(clean('3.11.2:2.7')).toBe('3.11.2:2.7');
  for (const value of ['../x', './x', '/x', '.', '3/../x'])
    expect([value, clean(value)]).toEqual([value, undefined]);
});

test('where no program starts only what the shell itself is led by is taken away', () => {
  const env = {
    LD_PRELOAD: './x.so',
    LD_LIBRARY_PATH: '.',
    PYTHONPATH: '.',
    NODE_OPTIONS: '--x',
    BASH_ENV: './x',
  };
  const place = { places: () => [], userHome: '/x' };
  expect(readingEnvironment(env, place, false)).toEqual({ PYTHONPATH: '.', NODE_OPTIONS: '--x' });
});

test('the places of the workspace are looked for only where a variable needs it', () => {
  const env = { HOME: '/x', LANG: 'C', NODE_OPTIONS: '--x', PYTHONPATH: '.' };
  const places = () => {
    throw new Error('looked');
  };
  expect(readingEnvironment(env, { places, userHome: '/x' })).toEqual({
    ...{ HOME: '/x', LANG: 'C' },
    ...quietVariables,
  });
});

test('programs that would look for a new version of themselves on the network are told not to', () => {
  const place = { places: () => [], userHome: '/x' };
  const env = readingEnvironment(
    { PIP_DISABLE_PIP_VERSION_CHECK: '0', npm_config_update_notifier: 'true' },
    place,
  );
  expect(env).toMatchObject({ PIP_DISABLE_PIP_VERSION_CHECK: '1', npm_config_update_notifier: 'false' });
  expect(readingEnvironment({ A: 'b' }, place, false)).toEqual({ A: 'b' });
});
