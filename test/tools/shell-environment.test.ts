import { expect, test } from 'bun:test';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/lib/clock.ts';
import { findOwned } from '../../src/lib/processes/process.ts';
import { captureEnvironment } from '../../src/tools/bash/environment.ts';
import { temporaryDirectory } from '../support/index.ts';

function capture(
  loginShell: string | undefined,
  more: { timeoutMs?: number; env?: Record<string, string> } = {},
) {
  const home = temporaryDirectory().path;
  const owner = `test-${home.slice(-6)}`;
  const env = { PATH: process.env.PATH ?? '', HOME: home, ...more.env };
  let shell: string | undefined;
  if (loginShell !== undefined) {
    shell = join(home, 'login-shell');
    writeFileSync(shell, `#!/bin/bash\n${loginShell}\n`);
    chmodSync(shell, 0o755);
  }
  return {
    home,
    owner,
    captured: captureEnvironment({
      places: ['/nowhere/repository'],
      shell,
      home,
      env,
      allow: ['GIVEN', 'KEPT', 'FROM_*', 'VIRTUAL', 'ADDED'],
      clock: systemClock,
      owner,
      fifoDirectory: () => home,
      timeoutMs: more.timeoutMs ?? 5000,
    }),
  };
}

const likeReal = 'shift; exec /bin/bash --norc "$@"';

test('the login shell is asked once, at home, and what it exports counts', async () => {
  const { home, captured } = capture(
    `echo "$PWD $*" >> "$HOME/log"; echo noise; export FROM_PROFILE='a\nb'; ${likeReal}`,
  );
  captured.warm();
  const env = await captured.environment();
  await captured.environment();
  expect(env.FROM_PROFILE).toBe('a\nb');
  const log = readFileSync(join(home, 'log'), 'utf8').trim().split('\n');
  expect(log).toHaveLength(1);
  expect(log[0]).toStartWith(`${home} -l -c `);
});

test('nothing runs before it is needed', () => {
  const { home } = capture('touch "$HOME/ran"');
  expect(existsSync(join(home, 'ran'))).toBe(false);
});

test('without a login shell, or when it fails, the given environment counts', async () => {
  for (const shell of [undefined, 'exit 1', 'echo nonsense']) {
    const env = await capture(shell, { env: { GIVEN: '1' } }).captured.environment();
    expect(env).toMatchObject({ GIVEN: '1', CADRE: '1' });
  }
});

test('a login shell that hangs is ended, and the given environment counts', async () => {
  const { captured, owner } = capture('trap "" TERM; sleep 100', { timeoutMs: 200, env: { GIVEN: '1' } });
  expect((await captured.environment()).GIVEN).toBe('1');
  expect(findOwned({ owner })).toEqual([]);
}, 10_000);

test('keys and what is ours alone are not passed on to commands', async () => {
  const secrets = {
    ANTHROPIC_API_KEY: 'k',
    ANTHROPIC_AUTH_TOKEN: 'k',
    OPENAI_API_KEY: 'k',
    BUN_OPTIONS: 'x',
    CADRE_HOME: '/x',
    BASH_ENV: '/x',
  };
  const { captured, owner } = capture(likeReal, { env: { ...secrets, KEPT: 'yes' } });
  const env = await captured.environment();
  for (const name of Object.keys(secrets)) expect(env[name]).toBeUndefined();
  expect(env).toMatchObject({
    KEPT: 'yes',
    CLAUDECODE: '1',
    TERM: 'dumb',
    GIT_PAGER: 'cat',
    CADRE_OWNER: owner,
  });
});

test('commands run in bash where there is one', () => {
  expect(capture(undefined).captured.shell).toBe('/bin/bash');
});

test('what we were started with wins; the login shell adds what is missing', async () => {
  const { captured } = capture(`export VIRTUAL=reset ADDED=1 PATH=/usr/bin:/opt/login; ${likeReal}`, {
    env: { VIRTUAL: 'active', PATH: `/venv/bin:${process.env.PATH}` },
  });
  const env = await captured.environment();
  expect(env).toMatchObject({ VIRTUAL: 'active', ADDED: '1' });
  expect(env.PATH).toStartWith('/venv/bin:');
  expect(env.PATH).toEndWith(':/opt/login');
});

test('started from a shell, its environment is already there and no login shell runs', async () => {
  const { home, captured } = capture('touch "$HOME/ran"', { env: { SHLVL: '1', KEPT: 'yes' } });
  expect((await captured.environment()).KEPT).toBe('yes');
  expect(existsSync(join(home, 'ran'))).toBe(false);
});

test('programs of the repository are not found by a bare name, nor are those of a relative place', async () => {
  const { pathOutside } = await import('../../src/workspace/search-path.ts');
  const path = '/usr/bin:node_modules/.bin::/repo/node_modules/.bin:/repository/bin:/home/u/.local/bin';
  expect(pathOutside(path, ['/repo'], '/home/u')).toBe('/usr/bin:/repository/bin:/home/u/.local/bin');
  // To a shell an empty one is the working directory.
  for (const none of ['', '.', ':', '/repo/bin'])
    expect(pathOutside(none, ['/repo'], '/home/u')).toBe('/usr/local/bin:/usr/bin:/bin');
  expect(pathOutside('/home/u/.local/bin:/usr/bin', ['/home/u'], '/home/u')).toBe(
    '/home/u/.local/bin:/usr/bin',
  );
});

test('commands get a locale in which their shell reads lines as they were judged', async () => {
  const given = {
    LANG: 'zh_CN.GBK',
    LC_ALL: 'ja_JP.SJIS',
    LC_CTYPE: 'zh_TW',
    LC_TIME: 'de_DE.UTF-8',
    LC_NUMERIC: 'C',
  };
  const env = await capture(undefined, {
    env: { ...given, LC_PAPER: 'de_DE.ISO-8859-1' },
  }).captured.environment();
  expect(env).toMatchObject({ LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8', LC_CTYPE: 'C.UTF-8' });
  expect(env).toMatchObject({ LC_TIME: 'de_DE.UTF-8', LC_NUMERIC: 'C', LC_PAPER: 'de_DE.ISO-8859-1' });
});
