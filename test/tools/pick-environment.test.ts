import { expect, test } from 'bun:test';
import { isSecretName, listSecretValues } from '../../src/lib/secrets/secret-values.ts';
import { openEnvironment } from '../../src/tools/bash/environment.data.ts';
import { heldBack, pickEnvironment } from '../../src/tools/bash/pick-environment.ts';

const token = 'ghp_a8Xk29sLmQ0tZ71bVn4R';

test('a variable that is in no list is held back, and named', () => {
  const { variables, heldBack } = pickEnvironment({
    HOME: '/h',
    MY_APP: 'x',
    DATABASE_URL: 'postgres://db/x',
  });
  expect(variables).toEqual({ HOME: '/h' });
  expect(heldBack).toEqual(['DATABASE_URL', 'MY_APP']);
});

test('names of settings let more through, a star included, secrets too', () => {
  const env = { MY_VAR: 'a', AWS_SECRET_ACCESS_KEY: token, AWS_SESSION_TOKEN: token, OTHER: 'b' };
  expect(pickEnvironment(env, ['MY_VAR', 'AWS_*']).variables).toEqual({
    MY_VAR: 'a',
    AWS_SECRET_ACCESS_KEY: token,
    AWS_SESSION_TOKEN: token,
  });
});

test('what commands get under a name that says secret is masked all the same', () => {
  const { secrets } = pickEnvironment({ AWS_SECRET_ACCESS_KEY: token }, ['AWS_*']);
  expect(secrets).toEqual([{ name: 'AWS_SECRET_ACCESS_KEY', value: token }]);
});

test('a star of our list passes no secret; an address with a password passes by no list', () => {
  const env = {
    GITHUB_SHA: 'abc',
    GITHUB_TOKEN: token,
    CI_JOB_JWT_V2: token,
    'npm_config_//registry.example/:_authToken': token,
    npm_config_registry: 'https://registry.example',
    HTTPS_PROXY: 'http://me:hunter2hunter2@proxy:3128',
    NO_PROXY: 'localhost',
  };
  expect(Object.keys(pickEnvironment(env).variables)).toEqual([
    'GITHUB_SHA',
    'npm_config_registry',
    'NO_PROXY',
  ]);
});

test('keys of models, and what is ours, need their full name; ours alone never pass', () => {
  const env = { OPENAI_API_KEY: token, CADRE_HOME: '/x', BUN_OPTIONS: '--preload=x' };
  expect(pickEnvironment(env, ['*_KEY', 'CADRE_*', 'O*', 'BUN_OPTIONS']).variables).toEqual({});
  expect(pickEnvironment(env, ['OPENAI_API_KEY', 'CADRE_HOME']).variables).toEqual({ OPENAI_API_KEY: token });
});

test('what a shell would run first is in no list and can be put in none', () => {
  const env = { BASH_ENV: '/x', ENV: '/x', 'BASH_FUNC_ls%%': '() { evil; }', SHELLOPTS: 'xtrace' };
  expect(pickEnvironment(env, ['BASH_ENV', 'ENV', 'BASH_*', 'SHELLOPTS']).variables).toEqual({});
});

test('what changes how a shell reads words, or where cd leads, is in no list and can be put in none', () => {
  const names =
    'CDPATH GLOBIGNORE POSIXLY_CORRECT BASHOPTS BASH_COMPAT PS4 IFS PROMPT_COMMAND EXECIGNORE'.split(' ');
  const env = Object.fromEntries(names.map((name) => [name, 'x']));
  expect(pickEnvironment(env, ['*', ...names]).variables).toEqual({});
});

test('heldBack names variables and never tells a value', () => {
  const names = heldBack({ HOME: '/h', SECRET_SAUCE: token });
  expect(names).toEqual(['SECRET_SAUCE']);
  expect(JSON.stringify(names)).not.toContain(token);
});

test('every entry of the list says why, and no name that says secret is in it', () => {
  const names = openEnvironment.flatMap(({ names }) => names.split(' '));
  expect(openEnvironment.every(({ why }) => why.endsWith('.'))).toBe(true);
  expect(names.filter((name) => isSecretName(name) || !/^\w+\*?$/.test(name))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});

test('by its name a value is a secret unless it is a word, a path, an address or a number', () => {
  const values = [
    'postgres',
    'changeme',
    '/run/secrets/key',
    '~/.ssh/id',
    'https://vault.example/v1',
    '1234567890',
    'true',
  ];
  expect(listSecretValues(values.map((value): [string, string] => ['DB_PASSWORD', value]))).toEqual([]);
  const secret = ['p4ssw0rd!', 'correct horse battery staple', token, 'aB3$xY9z'];
  expect(listSecretValues(secret.map((value): [string, string] => ['DB_PASSWORD', value]))).toHaveLength(4);
});

test('under a name that says nothing only what a machine made up is a secret', () => {
  const plain = [
    'us-east-1-production',
    'my-company-staging',
    '5d41402abc4b2a76b9719d911017c592',
    'v22.14.0-nightly',
  ];
  expect(listSecretValues(plain.map((value): [string, string] => ['THING', value]))).toEqual([]);
  expect(
    listSecretValues([
      ['THING', token],
      ['OTHER', 'eyJhbGciOi.J9.abcDEF123'],
      ['URL', 'https://u:p4ss-w0rd9@h/x'],
    ]),
  ).toEqual([
    { name: 'THING', value: token },
    { name: 'OTHER', value: 'eyJhbGciOi.J9.abcDEF123' },
    { name: 'URL', value: 'https://u:p4ss-w0rd9@h/x' },
    { name: 'URL', value: 'p4ss-w0rd9' },
  ]);
});
