import { expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fakeProvider } from '../../src/testing/index.ts';
import { needs, needsThat, nobody } from '../support/index.ts';
import { asNobody, cadre, environmentOf, newPlace, program } from './support.ts';

const asRoot = needsThat(process.getuid?.() === 0, 'root');

/** Runs the program with a standard output that nobody reads. */
function withoutReader(
  args: string,
  place = newPlace(),
  provider?: Awaited<ReturnType<typeof fakeProvider>>,
) {
  const script = `('${program}' ${args}; echo "code $?" >&2) < /dev/null | true`;
  const ran = spawnSync('bash', ['-c', script], {
    cwd: place.cwd,
    env: environmentOf({ place, ...(provider ? { provider } : {}) }),
    encoding: 'utf8',
  });
  return ran.stderr;
}

test.each([['--help'], ['completions bash'], ['models'], ['agents']])(
  'cadre %s into a pipe that nobody reads ends with 0 or 141, and says nothing',
  (args) => {
    expect(withoutReader(args)).toMatch(/^code (0|141)\n$/);
  },
);

asRoot('a current directory that cannot be read is named, in our own words', async () => {
  const place = newPlace();
  for (const path of [place.cwd, place.userHome, join(place.cwd, '..')]) chownSync(path, nobody, nobody);
  chmodSync(place.cwd, 0);
  const under = ['bash', '-c', `cd '${place.cwd}' && exec "$@"`, 'bash', ...asNobody];
  const around = { place: { ...place, cwd: '/' }, under };
  const ended = await cadre(['-p', 'hi'], around);
  expect(ended).toMatchObject({ code: 2, out: '' });
  expect(ended.err).toBe(
    'cadre: The current directory is not readable.\nStart cadre in a directory that you can read.\n',
  );
  expect(await cadre(['--help'], around)).toMatchObject({ code: 0, err: '' });
});

asRoot('settings with hooks in a home of another user are not loaded: exit 2, by name', async () => {
  await using provider = await fakeProvider({ script: () => 'Well.' });
  const place = newPlace();
  mkdirSync(place.home, { mode: 0o700 });
  const hooks = { SessionStart: [{ hooks: [{ type: 'command', command: `touch ${place.cwd}/ran` }] }] };
  writeFileSync(join(place.home, 'settings.json'), JSON.stringify({ hooks }), { mode: 0o600 });
  chownSync(join(place.home, 'settings.json'), nobody, nobody);
  for (const args of [['-p', 'hi'], ['hooks'], ['agents'], ['mcp', 'list']]) {
    const ended = await cadre(args, { place, provider });
    expect(ended.code).toBe(2);
    expect(ended.err).toContain(`${join(place.home, 'settings.json')} belongs to another user`);
  }
  expect([existsSync(join(place.cwd, 'ran')), provider.received.length]).toEqual([false, 0]);
});

test('a home that others may write is closed before anything in it is used', async () => {
  await using provider = await fakeProvider({ script: () => 'Well.' });
  const place = newPlace();
  mkdirSync(place.home);
  chmodSync(place.home, 0o777);
  expect(await cadre(['-p', 'hi'], { place, provider })).toMatchObject({ code: 0 });
  expect(statSync(place.home).mode & 0o777).toBe(0o700);
});

test('no file of the home hangs the program when a named pipe is in its place', async () => {
  await using provider = await fakeProvider({ script: () => 'Well.' });
  const place = newPlace();
  const id = '11111111-1111-4111-8111-111111111111';
  const first = await cadre(['-p', 'hi', '--session-id', id, '--max-budget-usd', '1'], { place, provider });
  expect(first.code).toBe(0);
  const project = join(place.home, 'projects', place.cwd.replace(/[^a-zA-Z0-9]/g, '-'));
  const month = new Date().toISOString().slice(0, 7);
  const resume = ['-p', 'hi', '--resume', id, '--max-budget-usd', '1', '--disallowedTools', 'Bash'];
  const cases: [file: string, args: string[]][] = [
    [join(project, id, 'ledger.jsonl'), resume],
    [join(project, id, 'ledger.jsonl'), ['cost']],
    [join(project, `${id}.jsonl`), resume],
    [join(project, `${id}.jsonl`), ['sessions']],
    [join(place.home, 'audit', `${month}.jsonl`), ['audit']],
    [join(place.home, 'running', `${id}.json`), resume],
    [join(place.home, 'settings.json'), resume],
    [join(place.home, 'keys.json'), ['key', 'list']],
    [join(place.home, 'mcp.json'), ['mcp', 'list']],
  ];
  for (const [file, args] of cases) {
    const aside = `${file}.aside`;
    const isFile = existsSync(file);
    if (isFile) renameSync(file, aside);
    expect(spawnSync('bash', ['-c', `mkdir -p "\${1%/*}" && mkfifo -m 600 "$1"`, 'bash', file]).status).toBe(
      0,
    );
    const ended = await cadre(args, { place, provider, under: ['timeout', '40'] });
    expect([file, args[0], ended.code]).not.toContain(124);
    expect(ended.err).not.toMatch(/\bat .*\.ts:\d+/);
    spawnSync('rm', ['-f', file]);
    if (isFile) renameSync(aside, file);
  }
}, 240_000);

test.each<[what: string, env: Record<string, string>, says: string]>([
  ['a HOME that is no full path', { HOME: '.' }, 'HOME, ".", is not a full path'],
  [
    'a CADRE_HOME whose path is too long',
    { CADRE_HOME: `/tmp/${'x/'.repeat(3000)}` },
    'The path of CADRE_HOME is too long: ',
  ],
])('%s is refused before anything of it is read: it could be the repository', async (_, env, says) => {
  await using provider = await fakeProvider({ script: () => 'Well.' });
  const place = newPlace();
  mkdirSync(join(place.cwd, '.cadre'));
  const hooks = { SessionStart: [{ hooks: [{ type: 'command', command: `touch ${place.cwd}/ran` }] }] };
  writeFileSync(join(place.cwd, '.cadre/settings.json'), JSON.stringify({ hooks }));
  for (const args of [['-p', 'hi'], ['hooks'], ['agents']]) {
    const ended = await cadre(args, {
      place,
      provider,
      env: { ...('HOME' in env ? { CADRE_HOME: undefined } : {}), ...env },
    });
    expect([ended.code, ended.out]).toEqual([2, '']);
    expect(ended.err).toContain(says);
    expect(ended.err.length).toBeLessThan(400);
  }
  expect([existsSync(join(place.cwd, 'ran')), provider.received.length]).toEqual([false, 0]);
});

test.each([
  ['closed to reading', '0>out.txt'],
  ['a directory', '< .'],
])('a standard input that is %s is told in our own words', async (_, redirection) => {
  await using provider = await fakeProvider({ script: () => 'Well.' });
  const place = newPlace();
  const host = '--input-format stream-json --output-format stream-json';
  for (const args of [host, '-p']) {
    const ran = spawnSync('bash', ['-c', `'${program}' ${args} ${redirection}`], {
      cwd: place.cwd,
      env: environmentOf({ place, provider }),
      encoding: 'utf8',
    });
    expect([args, ran.status]).toEqual([args, 2]);
    expect(ran.stderr).toMatch(/^cadre: (?:Cannot read standard input|No prompt was given)/);
    expect(ran.stderr).not.toContain('unexpected error');
  }
});

needs('bash')('output that a full disk cuts off is told, also that of help', () => {
  for (const args of ['--help', '--version', 'help permissions', 'agents', 'man worker']) {
    const ran = spawnSync('bash', ['-c', `'${program}' ${args} > /dev/full`], {
      env: environmentOf({ place: newPlace() }),
      encoding: 'utf8',
    });
    expect([args, ran.status, ran.stderr]).toEqual([
      args,
      1,
      'cadre: Cannot write to stdout: the disk is full (ENOSPC).\n',
    ]);
  }
});
