import { afterAll, beforeAll, expect } from 'bun:test';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { call, fakeProvider, say, type Turn } from '../../src/testing/index.ts';
import { needs, nobody, temporaryDirectory } from '../support/index.ts';
import { asNobody, cadre, newPlace, type Place, start, unconfined, until } from './support.ts';

/** All of it from the compiled program, with nobody there to be asked: what runs here runs unasked. */
const test = needs('bwrap');

const servers: Server[] = [];
let port = 0;
const socket = join(temporaryDirectory().path, 'socket');
const abstract = `cadre-test-${process.pid}`;

beforeAll(async () => {
  const listen = (to: object) =>
    new Promise<Server>((resolve) => {
      const server = createServer((client) => client.end('HELLO'));
      servers.push(server);
      server.listen(to, () => resolve(server));
    });
  port = ((await listen({ port: 0, host: '127.0.0.1' })).address() as { port: number }).port;
  await listen({ path: socket });
  await listen({ path: `\0${abstract}` });
});

afterAll(() => {
  for (const server of servers) server.close();
});

interface Told {
  /** The results of the calls, in order. */
  results: string[];
  err: string;
  code: number | null;
}

async function run(
  place: Place,
  commands: (string | Turn)[],
  more: Parameters<typeof cadre>[0] = [],
  under?: string[],
): Promise<Told> {
  const turns = commands.map((one) => (typeof one === 'string' ? call('Bash', { command: one }) : one));
  await using provider = await fakeProvider({ script: [...turns, say('Done.')] });
  const ended = await cadre(['-p', 'Go.', '--output-format', 'stream-json', ...more], {
    ...{ place, provider },
    ...(under ? { under } : {}),
  });
  const frames = ended.out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  const results = frames
    .filter((frame) => frame.type === 'user')
    .flatMap((frame) => frame.message.content)
    .filter((block) => block.type === 'tool_result')
    .map((block) => block.content.map((part: { text: string }) => part.text).join(''));
  return { results, err: ended.err, code: ended.code };
}

/** A script in the workspace: what it does cannot be seen in the command that runs it. */
function script(place: Place, text: string): string {
  writeFileSync(join(place.cwd, 'hidden.sh'), text);
  return 'bash hidden.sh';
}

function repository({ cwd }: Place): void {
  const git = (...args: string[]) => execFileSync('git', args, { cwd, stdio: 'ignore' });
  git('init', '-q', '-b', 'main');
  git('config', 'user.email', 'a@example.com');
  git('config', 'user.name', 'A');
}

test('PE6 a command writes in the workspace unasked, and nowhere else', async () => {
  const place = newPlace();
  const { results } = await run(place, [
    `echo a > made; echo b > ${place.userHome}/out; echo c > /etc/cadre-test-out`,
  ]);
  expect(readFileSync(join(place.cwd, 'made'), 'utf8')).toBe('a\n');
  expect(existsSync(join(place.userHome, 'out'))).toBe(false);
  expect(existsSync('/etc/cadre-test-out')).toBe(false);
  expect(results[0]).toContain('Read-only file system');
  expect(results[0]).toContain('dangerouslyDisableSandbox');
});

test('PE8 it reaches no server of this machine: not by TCP, not by a Unix socket of either kind', async () => {
  const place = newPlace();
  const connect = (address: string) =>
    `python3 -c "import socket; s = socket.socket(socket.AF_UNIX); s.connect('${address}'); print(s.recv(9))"`;
  const { results } = await run(place, [
    `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3`,
    connect(socket),
    connect(`\\0${abstract}`),
  ]);
  expect(results).toEqual([
    expect.stringContaining('Connection refused'),
    expect.stringContaining('Operation not permitted'),
    expect.stringContaining('Operation not permitted'),
  ]);
  expect(results.join()).not.toContain('HELLO');
});

test('C4 what others take code or settings from is neither changed nor made', async () => {
  const place = newPlace();
  repository(place);
  const config = readFileSync(join(place.cwd, '.git/config'), 'utf8');
  const targets = [
    ...['.git/hooks/pre-commit', '.git/config', '.cadre/settings.json', '.claude/settings.json', '.mcp.json'],
    ...['.vscode/tasks.json', `${place.home}/settings.json`, `${place.userHome}/.claude/settings.json`],
    ...[`${place.userHome}/.bashrc`, '.github/workflows/ci.yml'],
  ];
  const tries = targets.map((path) => `mkdir -p ${dirname(path)}; echo evil >> ${path}`).join('\n');
  const { results } = await run(place, [script(place, tries)]);
  for (const path of targets.filter((path) => path !== '.git/config'))
    expect([path, existsSync(join(path.startsWith('/') ? '' : place.cwd, path))]).toEqual([path, false]);
  expect(readFileSync(join(place.cwd, '.git/config'), 'utf8')).toBe(config);
  expect(results[0]).toContain('were moved to');
  expect(readdirSync(place.cwd).sort()).toEqual(['.git', '.github', 'hidden.sh']);
});

test('the same where the command says what it does: it is asked about, hence denied here', async () => {
  const place = newPlace();
  const { results } = await run(place, ['echo x > .mcp.json', 'mkdir -p .git/hooks']);
  expect(results).toEqual([
    expect.stringContaining('.mcp.json is a protected path'),
    expect.stringContaining('.git is a protected path'),
  ]);
});

test('keys.json cannot be read', async () => {
  const place = newPlace();
  mkdirSync(place.home, { mode: 0o700 });
  writeFileSync(join(place.home, 'keys.json'), '{"openai":"sk-secret"}', { mode: 0o600 });
  const { results } = await run(place, [
    script(place, `cat ${place.home}/keys.json; cp ${place.home}/keys.json stolen; cat stolen`),
  ]);
  expect(results[0]).toContain('No such file or directory');
  expect(results[0]).not.toContain('sk-secret');
});

test('a daemon is gone when its command is', async () => {
  const mark = `77${process.pid}`;
  const { results } = await run(newPlace(), [`setsid sleep ${mark} > /dev/null 2>&1 & sleep 0.2; echo on`]);
  expect(results[0]).toStartWith('on');
  expect(living(mark)).toBe('');
});

test('nothing outlives a kill -9 of the program', async () => {
  const place = newPlace();
  const mark = `88${process.pid}`;
  const command = `setsid sleep ${mark} & touch started; sleep ${mark}`;
  await using provider = await fakeProvider({ script: [call('Bash', { command })] });
  const running = start(['-p', 'Go.'], { place, provider });
  await until(() => existsSync(join(place.cwd, 'started')));
  expect(living(mark)).not.toBe('');
  process.kill(running.pid, 'SIGKILL');
  await running.ended;
  await until(() => living(mark) === '');
});

test('a command in the background is confined too', async () => {
  const place = newPlace();
  const command = `echo a > made; echo b > ${place.userHome}/out; touch ended; sleep 0.1`;
  await run(place, [
    call('Bash', { command, run_in_background: true }),
    'until [ -e ended ]; do sleep 0.05; done',
  ]);
  expect(existsSync(join(place.cwd, 'made'))).toBe(true);
  expect(existsSync(join(place.userHome, 'out'))).toBe(false);
});

test('git commits inside', async () => {
  const place = newPlace();
  repository(place);
  const { results } = await run(place, [
    'echo a > a; git add a && git commit -qm one && git log --format=%s',
  ]);
  expect(results).toEqual(['one']);
});

test('/tmp is private, stays between commands, and goes with the session', async () => {
  const place = newPlace();
  const name = `/tmp/cadre-private-${process.pid}`;
  const { results } = await run(place, [`echo kept > ${name}; mkdir /tmp/d; cd /tmp/d`, `cat ${name}; pwd`]);
  expect(results[0]).toContain('The working directory stays');
  expect(results[1]).toBe(`kept\n${place.cwd}`);
  expect(existsSync(name)).toBe(false);
  const left = execFileSync('find', [place.home, '-path', '*sandbox*'], { encoding: 'utf8' });
  expect(left).toBe('');
});

test('a directory change is followed into the next command', async () => {
  const place = newPlace();
  mkdirSync(join(place.cwd, 'sub'));
  const { results } = await run(place, ['touch x; cd sub', 'pwd; touch y']);
  expect(results[1]).toStartWith(join(place.cwd, 'sub'));
  expect(existsSync(join(place.cwd, 'sub', 'y'))).toBe(true);
});

test('somebody without rights is confined in the same way', async () => {
  const place = newPlace();
  repository(place);
  execFileSync('chown', ['-R', `${nobody}:${nobody}`, dirname(place.cwd)]);
  chownSync(dirname(place.cwd), nobody, nobody);
  const command = script(
    place,
    `echo a > made; git add made; git commit -qm one; echo x >> .git/config; touch /tmp/x; touch ${place.userHome}/x; unshare -Urm true; id -u`,
  );
  const { results } = await run(place, [command], [], asNobody);
  expect(results[0]?.match(/Read-only file system/g)).toHaveLength(2);
  expect(results[0]).toContain(String(process.getuid?.() === 0 ? nobody : process.getuid?.()));
  expect(statSync(join(place.cwd, 'made')).size).toBe(2);
});

test('--settings switches it off: then it is asked, hence denied', async () => {
  const place = newPlace();
  const { results } = await run(place, ['make'], unconfined);
  expect(results[0]).toContain('no rule allows this command');
});

test('outside it is asked for by name, and runs there where a rule allows it', async () => {
  const place = newPlace();
  const out = `${place.userHome}/out`;
  const outside = call('Bash', { command: `touch ${out}`, dangerouslyDisableSandbox: true });
  expect((await run(place, [outside])).results[0]).toContain('outside the sandbox');
  expect(existsSync(out)).toBe(false);
  await run(
    place,
    [outside],
    ['--allowedTools', `Bash(touch ${out})`, '--permission-mode', 'bypassPermissions'],
  );
  expect(existsSync(out)).toBe(true);
});

test('where it must be there and is not, nothing starts', async () => {
  const settings = { sandbox: { failIfUnavailable: true, bwrapPath: '/bin/false' } };
  const { code, err } = await cadre(['-p', 'Go.', '--settings', JSON.stringify(settings)], {
    place: newPlace(),
  });
  expect(code).toBe(2);
  expect(err).toContain('sandbox.failIfUnavailable: /bin/false does not work here');
});

test('a program for it that does not exist stops the start, and so does a host that is none', async () => {
  for (const [sandbox, said] of [
    [{ bwrapPath: '/nowhere/bwrap' }, 'sandbox.bwrapPath: expected an executable file'],
    [
      { network: { allowedDomains: ['https://x.com/y'] } },
      'sandbox.network.allowedDomains[0]: expected a host',
    ],
  ] as const) {
    const place = newPlace();
    mkdirSync(place.home, { recursive: true });
    writeFileSync(join(place.home, 'settings.json'), JSON.stringify({ sandbox }));
    const { code, err } = await cadre(['-p', 'Go.'], { place });
    expect(code).toBe(2);
    expect(err).toContain(join(place.home, 'settings.json'));
    expect(err).toContain(said);
  }
});

for (const place of ['/usr', '/', '/proc'])
  test(`a repository that hides ${place} without being trusted gets no command out of the sandbox`, async () => {
    const at = newPlace();
    mkdirSync(join(at.cwd, '.cadre'), { recursive: true });
    const file = join(at.cwd, '.cadre/settings.json');
    writeFileSync(file, JSON.stringify({ sandbox: { filesystem: { denyRead: [place] } } }));
    const out = join(at.userHome, 'out');
    const { results } = await run(at, [`touch ${out}`], ['--dangerously-skip-permissions']);
    expect(existsSync(out)).toBe(false);
    expect(results[0]).toContain(`sandbox.filesystem.denyRead in ${file} hides ${place}`);
  });

test('relative paths in the settings of the user close what they name in the workspace', async () => {
  const at = newPlace();
  const denied = ['sub/.env3', './plain.txt', 'y.key'];
  mkdirSync(join(at.cwd, 'sub'), { recursive: true });
  for (const name of ['sub/.env3', 'plain.txt', 'y.key']) writeFileSync(join(at.cwd, name), 'secret');
  mkdirSync(at.home, { recursive: true });
  const settings = { sandbox: { filesystem: { denyRead: denied, denyWrite: ['sub/kept', './held'] } } };
  writeFileSync(join(at.home, 'settings.json'), JSON.stringify(settings));
  for (const name of ['sub/kept', 'held']) writeFileSync(join(at.cwd, name), 'old');
  // A program that the line does not show: only the sandbox is in its way.
  const script = ['cat plain.txt y.key sub/.env3 > seen', 'echo new > sub/kept', 'echo new > held'];
  writeFileSync(join(at.cwd, 'try'), script.join('\n'));
  await run(at, ['sh try']);
  expect(readFileSync(join(at.cwd, 'seen'), 'utf8')).not.toContain('secret');
  for (const name of ['sub/kept', 'held']) expect(readFileSync(join(at.cwd, name), 'utf8')).toBe('old');
});

test('a place to write that does not exist is named, and so is a pattern', async () => {
  const place = newPlace();
  const settings = JSON.stringify({ sandbox: { filesystem: { allowWrite: ['~/nope', 'out/*'] } } });
  await using provider = await fakeProvider({ script: [say('Done.')] });
  const { err } = await cadre(['-p', 'Go.', '--settings', settings], { place, provider });
  expect(err).toContain(
    `sandbox.filesystem.allowWrite (--settings): ${join(place.userHome, 'nope')} does not exist`,
  );
  expect(err).toContain('patterns are not supported here, so out/* has no effect');
});

for (const [bwrapPath, why] of [
  ['/bin/false', 'exit code 1'],
  ['/bin/true', 'exit code 0'],
])
  test(`where it does not work that is said, and commands are asked about: ${bwrapPath}`, async () => {
    const settings = JSON.stringify({ sandbox: { bwrapPath } });
    await using provider = await fakeProvider({ script: [call('Bash', { command: 'make' }), say('No.')] });
    const { err } = await cadre(['-p', 'Go.', '--settings', settings], { place: newPlace(), provider });
    expect(err).toContain(`Shell commands are not confined. ${bwrapPath} does not work here (${why})`);
    expect(JSON.stringify(provider.received[1]?.messages)).toContain('no rule allows this command');
  });

test('cadre doctor says in one line what protects the user and what does not', async () => {
  const place = newPlace();
  const told = await cadre(['doctor'], { place, env: { ANTHROPIC_API_KEY: 'a-test-key' } });
  expect(told.code).toBe(0);
  expect(told.out.split('\n')[0]).toMatch(
    /^Shell commands are confined by bwrap [\d.]+: .*no network and no Unix sockets.*Not confined: /,
  );
  expect(told.out).not.toMatch(/^ {2}bad/m);
  chmodSync(place.home, 0o755);
  writeFileSync(join(place.home, 'settings.json'), '{"sandbox":{"enabled":false}}');
  const bare = await cadre(['doctor', '--json'], { place });
  const report = JSON.parse(bare.out);
  expect(bare.code).toBe(1);
  expect(report.protection).toMatchObject({
    works: false,
    text: expect.stringContaining('Nothing confines'),
  });
  expect(report.checks).toContainEqual(expect.objectContaining({ name: 'home', state: 'warning' }));
  expect(report.checks).toContainEqual(expect.objectContaining({ name: 'model', state: 'error' }));
});

function living(mark: string): string {
  return Bun.spawnSync(['pgrep', '-f', `sleep ${mark}$`]).stdout.toString();
}
