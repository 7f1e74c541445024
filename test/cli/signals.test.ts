import { expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endSignals } from '../../src/lib/processes/end-signals.ts';
import { call, calls, fakeProvider, hang, say, together } from '../../src/testing/index.ts';
import { cadre, newPlace, type Place, start, unconfined, until } from './support.ts';

/** Runs until it is ended, in the foreground, behind it, and in a session of its own. Notes every pid. */
const endless = [
  'echo one more >> runs',
  'echo $$ > shell.pid',
  'sleep 300 & echo $! > background.pid',
  'setsid sh -c "echo \\$\\$ > daemon.pid; exec sleep 300" &',
  'sleep 0.1; until [ -s daemon.pid ]; do sleep 0.1; done',
  'echo this far; touch started; sleep 300',
].join('\n');
const flags = ['--permission-mode', 'bypassPermissions', ...unconfined];
const script = () => [together(say('First I start it.'), call('Bash', { command: endless }))];

test('SIGINT in a command ends it and all it started, prints what was said so far, and exits 130', async () => {
  const place = newPlace();
  await using provider = await fakeProvider({ script: script() });
  const running = start(['-p', 'Go.', ...flags], { place, provider });
  await until(() => existsSync(join(place.cwd, 'started')));
  process.kill(running.pid, 'SIGINT');
  const ended = await running.ended;
  expect(ended.code).toBe(130);
  expect(ended.out).toContain('First I start it.');
  expect(ended.err).toMatch(/interrupt/i);
  expect(ended.err).not.toMatch(/^\s+at /m);
  expect(livingOf(place)).toEqual([]);
});

test('a session that was ended by SIGINT can be gone on with, and knows what the command printed', async () => {
  const place = newPlace();
  await using provider = await fakeProvider({ script: [...script(), 'Shall I go on?'] });
  const running = start(['-p', 'Go.', ...flags], { place, provider });
  await until(() => existsSync(join(place.cwd, 'started')));
  process.kill(running.pid, 'SIGINT');
  await running.ended;
  const ended = await cadre(['-p', '--continue', 'And now?'], { place, provider });
  expect(ended).toMatchObject({ code: 0, out: 'Shall I go on?\n' });
  provider.assertConsumed();
  expect(JSON.stringify(provider.received[1]?.messages)).toContain('this far');
});

test('SIGINT in a command begins no other turn, whatever waits for one; it is there when the session goes on', async () => {
  const place = newPlace();
  const aside = call('Bash', { command: 'touch aside', run_in_background: true });
  const long = call('Bash', {
    command: 'until [ -e aside ]; do sleep 0.1; done; sleep 1; touch started; sleep 300',
  });
  await using provider = await fakeProvider({ script: [calls([aside, long]), 'I see.'] });
  const running = start(['-p', 'Go.', ...flags], { place, provider });
  await until(() => existsSync(join(place.cwd, 'started')));
  process.kill(running.pid, 'SIGINT');
  expect(await running.ended).toMatchObject({ code: 130 });
  expect(provider.received).toHaveLength(1);
  await cadre(['-p', '--continue', 'And now?'], { place, provider });
  expect(JSON.stringify(provider.received[1]?.messages).split('<task-notification>')).toHaveLength(2);
});

for (const [signal, code] of Object.entries(endSignals))
  test(`${signal} ends everything and exits ${code}`, async () => {
    const place = newPlace();
    await using provider = await fakeProvider({ script: script() });
    const running = start(['-p', 'Go.', ...flags], { place, provider });
    await until(() => existsSync(join(place.cwd, 'started')));
    process.kill(running.pid, 'SIGTERM');
    expect(await running.ended).toMatchObject({ code: 143 });
    expect(livingOf(place)).toEqual([]);
  });

test('SIGINT while the model thinks exits 130 at once', async () => {
  const place = newPlace();
  await using provider = await fakeProvider({ script: [hang(say('Let me'))] });
  const running = start(['-p', 'Go.'], { place, provider });
  await until(() => provider.requests.length === 1);
  process.kill(running.pid, 'SIGINT');
  expect(await running.ended).toMatchObject({ code: 130 });
});

test('SIGINT while standard input is awaited exits 130', async () => {
  const running = start(['-p'], { place: newPlace(), input: 'pipe' });
  await until(() => isCaught(running.pid, 2));
  process.kill(running.pid, 'SIGINT');
  expect(await running.ended).toMatchObject({ code: 130 });
});

test('after SIGKILL the call is told to be interrupted, result unknown; it is not run again and nothing of it is left', async () => {
  const place = newPlace();
  await using provider = await fakeProvider({ script: [...script(), 'I see.'] });
  const running = start(['-p', 'Go.', ...flags], { place, provider });
  await until(() => existsSync(join(place.cwd, 'started')));
  process.kill(running.pid, 'SIGKILL');
  expect(await running.ended).toMatchObject({ signal: 'SIGKILL' });
  expect(livingOf(place)).not.toEqual([]);
  const ended = await cadre(['-p', '--continue', 'And now?', ...flags], { place, provider });
  expect(ended).toMatchObject({ code: 0, out: 'I see.\n' });
  expect(ended.err).toMatch(/Bash.*interrupted.*not run again/);
  provider.assertConsumed();
  const told = JSON.stringify(provider.received[1]?.messages[2]?.content);
  expect(told).toMatch(/"tool_result".*interrupted.*unknown/i);
  expect(readFileSync(join(place.cwd, 'runs'), 'utf8')).toBe('one more\n');
  await until(() => livingOf(place).length === 0);
});

test('a reader that goes away ends the run without a crash', async () => {
  const place = newPlace();
  await using provider = await fakeProvider({
    script: [
      call('Bash', { command: 'echo one' }),
      call('Bash', { command: 'echo two; sleep 1' }),
      call('Bash', { command: endless }),
    ],
  });
  const args = ['-p', 'Go.', '--output-format', 'stream-json', ...flags];
  const ended = await cadre(args, { place, provider, under: pipedInto('head -n 1') });
  expect(ended.out).toStartWith('{"type":"system"');
  expect(ended).toMatchObject({ code: 141, err: '' });
  expect(livingOf(place)).toEqual([]);
});

for (const args of [['demo'], ['--help'], ['sessions', '--json']])
  test(`cadre ${args.join(' ')} with a reader that goes away does not crash`, async () => {
    const ended = await cadre(args, { place: newPlace(), under: pipedInto('head -c 1') });
    expect(ended.err).toBe('');
  });

/** What the program is started by in a shell's pipeline; the exit code is the program's own. */
function pipedInto(reader: string): string[] {
  return ['bash', '-c', `"$@" | ${reader}; exit "\${PIPESTATUS[0]}"`, 'bash'];
}

/** Which of the noted processes are still there. */
function livingOf(place: Place): number[] {
  const pids = ['shell', 'background', 'daemon'].map((name) => join(place.cwd, `${name}.pid`));
  const noted = pids.filter(existsSync).map((path) => Number(readFileSync(path, 'utf8')));
  return noted.filter(isAlive);
}

/** What is dead and not yet buried by its parent does not count. */
function isAlive(pid: number): boolean {
  const state = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)])
    .stdout.toString()
    .trim();
  return state !== '' && !state.startsWith('Z');
}

/** Whether a process has a handler for a signal: it can be sent one only after that. */
function isCaught(pid: number, signal: number): boolean {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mask = BigInt(`0x${/^SigCgt:\s*(\w+)/m.exec(status)?.[1] ?? '0'}`);
  return (mask >> BigInt(signal - 1)) % 2n === 1n;
}

for (const [signal, code] of [
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)
  test(`${signal} ends a program that a host drives, although the host's side stays open`, async () => {
    const place = newPlace();
    await using provider = await fakeProvider({ script: ['Hello.'] });
    const wire = ['--input-format', 'stream-json', '--output-format', 'stream-json'];
    const running = start([...wire, ...flags], { place, provider, input: 'pipe' });
    running.child.stdin?.write('{"type":"user","message":{"role":"user","content":"Hi"}}\n');
    await until(() => provider.received.length === 1);
    process.kill(running.pid, signal);
    expect(await running.ended).toMatchObject({ code });
  });
