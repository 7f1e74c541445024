import { expect, test } from 'bun:test';
import { chmodSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ModelRequest } from '../../src/protocol/index.ts';
import { call, type FakeProvider, fakeProvider, hang, say, type Turn } from '../../src/testing/index.ts';
import { needs, needsThat, openPane, runUnprivileged } from '../support/index.ts';
import {
  cadre,
  environmentOf,
  newPlace,
  type Place,
  program,
  type Running,
  start,
  unconfined,
  until,
} from './support.ts';

const session = '44444444-4444-4444-8444-444444444444';
const everything = ['--permission-mode', 'bypassPermissions'];
const delegate = call('Agent', {
  ...{ description: 'Look around', prompt: 'Look around here.', subagent_type: 'Plan' },
  ...{ name: 'scout', run_in_background: true },
});

/** Answers the agent by one script, and the lead by the other. */
function cast(lead: Turn[], agent: Turn[]): Promise<FakeProvider> {
  return fakeProvider({
    script: (request: ModelRequest) => {
      const isAgent = JSON.stringify(request.messages[0]).includes('Look around here.');
      const turn = (isAgent ? agent : lead).shift() ?? say('Asked once too often.');
      return typeof turn === 'function' ? turn(request) : turn;
    },
  });
}

interface Live {
  owner: Running;
  socket: string;
  provider: FakeProvider;
}

/** A session in a process of its own, with an agent that is busy until it is stopped. */
async function live(place: Place, id = session): Promise<Live> {
  const provider = await cast(
    [delegate, say('Started.'), say('Stopped, then.')],
    [call('Glob', { pattern: '*.txt' }), hang(say('Still looking'))],
  );
  const owner = start(['-p', 'Go.', ...everything, '--session-id', id], { place, provider });
  await until(() => provider.requests.length >= 4);
  return { owner, provider, socket: join(place.home, 'sockets', `${id}-${owner.pid}.sock`) };
}

async function finish({ owner, provider }: Live, place: Place, id = session): Promise<void> {
  expect((await cadre(['tasks', 'stop', 'scout', '--session', id], { place })).out).toContain('was stopped');
  expect(await owner.ended).toMatchObject({ code: 0 });
  await provider[Symbol.asyncDispose]();
}

/** A program that connects to a socket, says hello, and prints what comes back. */
const visit = (socket: string) =>
  `import socket
s = socket.socket(socket.AF_UNIX)
s.connect('${socket}')
s.sendall(b'{"type":"hello","protocol":1,"client":"test"}\\n')
print(s.recv(300).decode())`;

test('SE4 a second terminal follows the tasks of a live session, and stops one', async () => {
  const place = newPlace();
  const running = await live(place);
  expect((statSync(running.socket).mode & 0o7777).toString(8)).toBe('600');
  expect((statSync(dirname(running.socket)).mode & 0o7777).toString(8)).toBe('700');
  const follower = start(['tasks', 'follow'], { place });
  const asData = start(['tasks', 'follow', 'scout', '--json'], { place });
  const heard = [follower, asData].map(firstOutput);
  await Promise.all(heard);
  await finish(running, place);
  const told = await follower.ended;
  expect(told).toMatchObject({ code: 0, err: '' });
  expect(told.out).toMatch(/^a\w+ {2}agent {2}running {2}scout {2}Look around {2}\d tool use/);
  expect(told.out).toMatch(/agent {2}killed {2}scout {2}Look around/);
  const { code, out } = await asData.ended;
  const states = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect([code, states[0].status, states.at(-1).status]).toEqual([0, 'running', 'killed']);
  expect(existsSync(running.socket)).toBe(false);
});

function firstOutput({ child }: Running): Promise<void> {
  return new Promise((resolve) => child.stdout?.once('data', () => resolve()));
}

test('a live session says more of its tasks than its transcript: how many tools an agent has used', async () => {
  const place = newPlace();
  const running = await live(place);
  expect((await cadre(['tasks', 'show', 'scout'], { place })).out).toMatch(/tool uses +1\n/);
  await finish(running, place);
});

test('a session whose process is suspended is listed from its transcript', async () => {
  const place = newPlace();
  const running = await live(place);
  process.kill(running.owner.pid, 'SIGSTOP');
  expect((await cadre(['tasks'], { place })).out).toMatch(/agent +running/);
  process.kill(running.owner.pid, 'SIGCONT');
  await finish(running, place);
});

test('SE4 two live sessions of one directory are followed and stopped each by itself', async () => {
  const place = newPlace();
  const other = '55555555-5555-4555-8555-555555555555';
  const [one, two] = [await live(place), await live(place, other)];
  expect(readdirSync(join(place.home, 'sockets'))).toHaveLength(2);
  await finish(two, place, other);
  const list = await cadre(['tasks', '--session', session, '--json'], { place });
  expect(JSON.parse(list.out)).toMatchObject([{ status: 'running', sessionIsOpen: true }]);
  await finish(one, place);
});

test('SE4 the socket that a killed session leaves is swept by the next one', async () => {
  const place = newPlace();
  const { owner, provider, socket } = await live(place);
  process.kill(owner.pid, 'SIGKILL');
  await owner.ended;
  expect(existsSync(socket)).toBe(true);
  const follow = await cadre(['tasks', 'follow'], { place });
  expect(follow).toMatchObject({ code: 1, err: expect.stringContaining(`Session ${session} is not open.`) });
  await using next = await fakeProvider({ script: [say('Hello.')] });
  expect(await cadre(['-p', 'Hi.'], { place, provider: next })).toMatchObject({ code: 0 });
  expect(readdirSync(dirname(socket))).toEqual([]);
  await provider[Symbol.asyncDispose]();
});

needsThat(process.getuid?.() === 0, 'root')(
  'SE4 another user of the machine is stopped by each wall of its own: directory, socket, and the door itself',
  async () => {
    const place = newPlace();
    const running = await live(place);
    const { socket } = running;
    const attempt = () => runUnprivileged<string>({ code: stranger }, [socket]);
    for (const path of [dirname(place.home), place.home]) chmodSync(path, 0o755);
    expect(await attempt()).toContain('EACCES');
    chmodSync(dirname(socket), 0o755);
    expect(await attempt()).toContain('EACCES');
    chmodSync(socket, 0o666);
    expect(await attempt()).toContain('This session belongs to another user.');
    await finish(running, place);
  },
);

const stranger = `import { createConnection } from 'node:net';
export default ([path]) => new Promise((resolve) => {
  const socket = createConnection(path);
  let heard = '';
  socket.on('connect', () => socket.write('{"type":"hello","protocol":1,"client":"test"}\\n'));
  socket.on('data', (bytes) => { heard += bytes; });
  socket.on('error', (error) => resolve(String(error.code)));
  socket.on('close', () => resolve(heard));
});`;

needs('bwrap')('SE4 a confined command neither sees the socket nor connects to it', async () => {
  const place = newPlace();
  const running = await live(place);
  // In scripts: what can be seen in a command is asked about.
  writeFileSync(join(place.cwd, 'look.sh'), `ls ${dirname(running.socket)} ${place.home} ${running.socket}`);
  writeFileSync(join(place.cwd, 'visit.py'), visit(running.socket));
  await using provider = await fakeProvider({
    script: [
      call('Bash', { command: 'bash look.sh' }),
      call('Bash', { command: 'python3 visit.py' }),
      say('Done.'),
    ],
  });
  await cadre(['-p', 'Go.'], { place, provider });
  const [listed = '', connected] = toolResults(provider);
  expect(listed.match(/No such file or directory/g)).toHaveLength(2);
  expect(listed.split(`${place.home}:`)[1]).not.toContain('sockets');
  expect(connected).toContain('Operation not permitted');
  await finish(running, place);
});

needsThat(process.platform === 'linux', 'Linux')(
  'SE4 a program that the session itself started is refused, also with another environment',
  async () => {
    const place = newPlace();
    const found = `' + glob.glob('${place.home}/sockets/*.sock')[0] + '`;
    writeFileSync(join(place.cwd, 'visit.py'), `import glob\n${visit(found)}`);
    writeFileSync(join(place.cwd, 'follow.sh'), `CADRE_HOME=${place.home} ${program} tasks follow`);
    await using provider = await fakeProvider({
      script: [
        call('Bash', { command: 'python3 visit.py' }),
        call('Bash', { command: 'env -i PATH="$PATH" python3 visit.py' }),
        call('Bash', { command: 'bash follow.sh' }),
        say('Done.'),
      ],
    });
    await cadre(['-p', 'Go.', ...everything, ...unconfined], { place, provider });
    const results = toolResults(provider);
    expect(results).toHaveLength(3);
    for (const result of results)
      expect(result).toContain('A program that this session started cannot connect to it.');
  },
);

function toolResults(provider: FakeProvider): string[] {
  const blocks: readonly Block[] = provider.received.at(-1)?.messages.flatMap(blocksIn) ?? [];
  return blocks.flatMap((block) => (block.type === 'tool_result' ? [JSON.stringify(block.content)] : []));
}

interface Block {
  type: string;
  content?: unknown;
}

function blocksIn({ content }: { content: string | readonly Block[] }): readonly Block[] {
  return typeof content === 'string' ? [] : content;
}

needs('tmux')('SE4 the terminal app in one terminal, cadre tasks stop in another', async () => {
  const place = newPlace();
  await using provider = await cast(
    [delegate, say('Started.'), say('Stopped, then.')],
    [hang(say('Still looking'))],
  );
  const env = environmentOf({ place, provider });
  const pane = openPane({ command: [program, ...everything], cwd: place.cwd, env });
  await pane.shows('❯');
  pane.type('Go.');
  pane.press('Enter');
  await pane.shows('Started.');
  const other = openPane({ command: [program, 'tasks', 'follow', 'scout'], cwd: place.cwd, env });
  await other.shows(/agent {2}running {2}scout/);
  expect((await cadre(['tasks', 'stop', 'scout'], { place })).out).toContain('was stopped');
  await other.shows(/agent {2}killed {2}scout/);
  await other.shows('exit code 0');
  await pane.shows('Stopped, then.');
});
