import { expect, test } from 'bun:test';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelRequest } from '../../src/protocol/index.ts';
import { call, type FakeProvider, fakeProvider, hang, say, type Turn } from '../../src/testing/index.ts';
import {
  cadre,
  type Ended,
  modesBelow,
  newPlace,
  type Place,
  type Running,
  start,
  until,
} from './support.ts';

const session = '11111111-1111-4111-8111-111111111111';
const everything = ['--permission-mode', 'bypassPermissions', '--session-id', session];

/** Answers the agent that was told to look by one script, and everybody else by the other. */
function cast(lead: Turn[], agent: Turn[]): Promise<FakeProvider> {
  return fakeProvider({
    script: (request: ModelRequest) => {
      const isAgent = JSON.stringify(request.messages[0]).includes('Look around here.');
      const turn = (isAgent ? agent : lead).shift() ?? say('Asked once too often.');
      return typeof turn === 'function' ? turn(request) : turn;
    },
  });
}

const delegate = call('Agent', {
  description: 'Look around',
  prompt: 'Look around here.',
  subagent_type: 'Plan',
  name: 'scout',
  run_in_background: true,
});

interface Row {
  id: string;
  kind: string;
  status: string;
  error?: string;
}

async function rows(place: Place, ...args: string[]): Promise<Row[]> {
  const { out } = await cadre(['tasks', '--json', ...args], { place });
  return out === '' ? [] : JSON.parse(out);
}

async function untilRow(place: Place, fits: (row: Row) => boolean): Promise<Row> {
  for (;;) {
    const found = (await rows(place)).find(fits);
    if (found) return found;
  }
}

/** A run whose agent has called a tool and then says nothing more. */
async function running(place: Place, provider: FakeProvider): Promise<{ owner: Running; id: string }> {
  const owner = start(['-p', 'Go.', ...everything], { place, provider });
  await until(() => provider.requests.length >= 4);
  const { id } = await untilRow(place, (row) => row.status === 'running');
  return { owner, id };
}

const busyAgent = () => [call('Glob', { pattern: '*.txt' }), hang(say('Still looking'))];

test('TS5 tasks lists, shows and prints what another process runs, with state, age and last activities', async () => {
  const place = newPlace();
  await using provider = await cast([delegate, say('Started.'), say('Stopped, then.')], busyAgent());
  const { owner, id } = await running(place, provider);
  const list = await cadre(['tasks'], { place });
  expect(list.out).toMatch(new RegExp(`session ${session}, open in process ${owner.pid}: Go\\.`));
  expect(list.out).toMatch(new RegExp(`${id} +agent +running +\\d+ s +Plan +scout +Look around`));
  const shown = await cadre(['tasks', 'show', 'scout'], { place });
  expect(shown.out).toContain('agent type   Plan');
  expect(shown.out).toContain('Glob {"pattern":"*.txt"}');
  const data = await cadre(['tasks', 'show', id.slice(0, 6), '--json'], { place });
  expect(JSON.parse(data.out)).toMatchObject({
    id,
    sessionId: session,
    sessionIsOpen: true,
    status: 'running',
  });
  const stopped = await cadre(['tasks', 'stop', id, '--json'], { place });
  expect(JSON.parse(stopped.out)).toMatchObject({ taskId: id, status: 'killed' });
  await owner.ended;
});

test('TS5 tasks stop reaches the process that runs the task; its lead hears of it and the run completes', async () => {
  const place = newPlace();
  await using provider = await cast([delegate, say('Started.'), say('Stopped, then.')], busyAgent());
  const { owner, id } = await running(place, provider);
  const stopped = await cadre(['tasks', 'stop', 'scout'], { place });
  expect(stopped).toMatchObject({ code: 0, out: `Task ${id} was stopped.\n` });
  expect(await owner.ended).toMatchObject({ code: 0, out: 'Started.\n\nStopped, then.\n' });
  expect(JSON.stringify(provider.received.at(-1)?.messages)).toContain('was stopped: stopped by the user');
  const again = await cadre(['tasks', 'stop', id], { place });
  expect(again).toMatchObject({ code: 0, out: `Task ${id} had already ended: killed.\n` });
  const left = Object.keys(modesBelow(place.home)).filter((name) => name.endsWith('.sock'));
  expect(left).toEqual([]);
});

test('a background command is a task too: listed, printed, stopped', async () => {
  const place = newPlace();
  const shell = call('Bash', { command: 'echo hello; sleep 300', run_in_background: true });
  await using provider = await cast([shell, hang(say('Waiting'))], []);
  const owner = start(['-p', 'Go.', ...everything], { place, provider });
  const { id } = await untilRow(place, (row) => row.kind === 'local_bash' && row.status === 'running');
  await until(() => {
    const file = outputOf(place, id);
    return existsSync(file) && readFileSync(file, 'utf8') === 'hello\n';
  });
  expect(await cadre(['tasks', 'output', id], { place })).toMatchObject({ code: 0, out: 'hello\n' });
  expect(await cadre(['tasks', 'output', id, '--full'], { place })).toMatchObject({ out: 'hello\n' });
  const asData = await cadre(['tasks', 'output', id, '--json'], { place });
  expect(JSON.parse(asData.out)).toMatchObject({ output: 'hello', totalBytes: 6, truncated: false });
  expect((await cadre(['tasks', 'stop', id], { place })).out).toContain('was stopped');
  process.kill(owner.pid, 'SIGINT');
  await owner.ended;
});

test('an output that was deleted is said to be lost, not empty', async () => {
  const place = newPlace();
  const shell = call('Bash', { command: 'echo hello; sleep 300', run_in_background: true });
  await using provider = await cast([shell, hang(say('Waiting'))], []);
  const owner = start(['-p', 'Go.', ...everything], { place, provider });
  const { id } = await untilRow(place, (row) => row.kind === 'local_bash' && row.status === 'running');
  rmSync(outputOf(place, id), { force: true });
  for (const more of [[], ['--full']])
    expect((await cadre(['tasks', 'output', id, ...more], { place })).err).toContain('Its output is lost');
  process.kill(owner.pid, 'SIGINT');
  await owner.ended;
});

test('what a killed process left is said to have ended with it', async () => {
  const place = newPlace();
  await using provider = await cast([delegate, say('Started.')], busyAgent());
  const { owner, id } = await running(place, provider);
  process.kill(owner.pid, 'SIGKILL');
  await owner.ended;
  expect(await rows(place)).toMatchObject([
    { id, status: 'killed', error: expect.stringContaining('process') },
  ]);
  const stopped = await cadre(['tasks', 'stop', id], { place });
  expect(stopped.code).toBe(0);
  expect(stopped.out).toContain('does not continue with its session');
});

test('a session that was opened again does not bring dead tasks back to life', async () => {
  const place = newPlace();
  await using provider = await cast([delegate, say('Started.'), hang(say('Again'))], busyAgent());
  const { owner } = await running(place, provider);
  process.kill(owner.pid, 'SIGKILL');
  await owner.ended;
  const asked = provider.requests.length;
  const second = start(['-p', '-c', 'Go on.'], { place, provider });
  await until(() => provider.requests.length > asked);
  expect(await rows(place)).toMatchObject([{ status: 'killed' }]);
  process.kill(second.pid, 'SIGINT');
  await second.ended;
});

test('tasks of a finished session are there with their results; sessions and cost tell of its agents', async () => {
  const place = newPlace();
  await using provider = await cast([delegate, say('Started.'), say('It is back.')], [say('Nothing there.')]);
  await cadre(['-p', 'Go.', ...everything], { place, provider });
  const shown = await cadre(['tasks', 'show', 'scout'], { place });
  expect(shown.out).toMatch(/state +completed/);
  expect(shown.out).toContain('result:\n  Nothing there.');
  expect((await cadre(['tasks', 'output', 'scout'], { place })).out).toContain('Nothing there.');
  const [row] = await rows(place, '--session', session.slice(0, 8));
  expect((await cadre(['sessions'], { place })).out).toContain('Go.  (1 agent)');
  expect(JSON.parse((await cadre(['sessions', '--json'], { place })).out)).toMatchObject([{ agentCount: 1 }]);
  expect((await cadre(['cost'], { place })).out).toMatch(new RegExp(`${row?.id} Plan +anthropic/`));
  const cost = JSON.parse((await cadre(['cost', '--json'], { place })).out);
  expect(cost.rows).toContainEqual(
    expect.objectContaining({ agentId: row?.id, agentType: 'Plan', description: 'Look around' }),
  );
});

test('a task that is not there, and a directory without sessions, are exit 2 with the next step', async () => {
  const place = newPlace();
  const refused = (ended: Ended, words: string) => {
    expect(ended.code).toBe(2);
    expect(ended.err).toContain(words);
  };
  refused(await cadre(['tasks'], { place }), 'There is no session in this directory.');
  await using provider = await cast([say('Hi.')], []);
  await cadre(['-p', 'Hello.', '--session-id', session], { place, provider });
  refused(await cadre(['tasks', 'show', 'a0'], { place }), 'No task "a0"');
  refused(await cadre(['tasks', 'stop'], { place }), "missing required argument 'id'");
  expect(await cadre(['tasks'], { place })).toMatchObject({
    code: 0,
    out: expect.stringContaining('No tasks'),
  });
});

function outputOf({ home, cwd }: Place, id: string): string {
  return join(home, 'projects', cwd.replace(/[^a-zA-Z0-9]/g, '-'), session, 'tool-results', `${id}.output`);
}
