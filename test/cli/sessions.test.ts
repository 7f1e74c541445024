import { expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { call, type FakeProvider, fakeProvider } from '../../src/testing/index.ts';
import { cadre, newPlace, type Place, start, until } from './support.ts';

const first = '11111111-1111-4111-8111-111111111111';
const second = '22222222-2222-4222-8222-222222222222';
const third = '33333333-3333-4333-8333-333333333333';

test('--session-id names the session, --continue goes on with the latest', async () => {
  const place = newPlace();
  await using provider = await answering();
  await ask(place, provider, ['--session-id', first, 'My name is Ada.']);
  await ask(place, provider, ['--continue', 'What is my name?']);
  expect(textsOf(provider, 1)).toEqual(['My name is Ada.', 'Answer 1', 'What is my name?']);
  expect(transcriptsOf(place)).toEqual([first]);
});

test('--continue looks only at the sessions of its own directory', async () => {
  const place = newPlace();
  const elsewhere = { ...newPlace(), home: place.home };
  await using provider = await answering();
  await ask(place, provider, ['--session-id', first, 'Here.']);
  await ask(elsewhere, provider, ['--session-id', second, 'There.']);
  await ask(place, provider, ['-c', 'And here?']);
  expect(textsOf(provider, 2)).toEqual(['Here.', 'Answer 1', 'And here?']);
});

test('--resume takes an id or the beginning of one', async () => {
  const place = newPlace();
  await using provider = await answering();
  await ask(place, provider, ['--session-id', first, 'One.']);
  await ask(place, provider, ['--session-id', second, 'Two.']);
  await ask(place, provider, ['--resume', first, 'By id.']);
  expect(textsOf(provider, 2)).toEqual(['One.', 'Answer 1', 'By id.']);
  await ask(place, provider, ['--resume', '2222', 'By its beginning.']);
  expect(textsOf(provider, 3)).toEqual(['Two.', 'Answer 2', 'By its beginning.']);
});

test('a beginning that two sessions share is refused and both are named', async () => {
  const place = newPlace();
  await using provider = await answering();
  const alike = first.replace('1111-4', '1112-4');
  await ask(place, provider, ['--session-id', first, 'One.']);
  await ask(place, provider, ['--session-id', alike, 'Another.']);
  const ended = await cadre(['-p', '--resume', '1111', 'Which?'], { place, provider });
  expect(ended.code).toBe(2);
  expect(ended.err).toContain(first);
  expect(ended.err).toContain(alike);
  expect(provider.requests).toHaveLength(2);
});

test('--fork-session leaves the session that it comes from as it was', async () => {
  const place = newPlace();
  await using provider = await answering();
  await ask(place, provider, ['--session-id', first, 'One.']);
  const before = readFileSync(transcriptOf(place, first), 'utf8');
  await ask(place, provider, ['--resume', first, '--fork-session', '--session-id', second, 'In a copy.']);
  expect(textsOf(provider, 1)).toEqual(['One.', 'Answer 1', 'In a copy.']);
  expect(readFileSync(transcriptOf(place, first), 'utf8')).toBe(before);
  await ask(place, provider, ['--resume', second, 'Further.']);
  expect(textsOf(provider, 2)).toEqual(['One.', 'Answer 1', 'In a copy.', 'Answer 2', 'Further.']);
});

test('an id that is taken is refused', async () => {
  const place = newPlace();
  await using provider = await answering();
  await ask(place, provider, ['--session-id', first, 'One.']);
  const before = readFileSync(transcriptOf(place, first), 'utf8');
  const ended = await cadre(['-p', '--session-id', first, 'Again.'], { place, provider });
  expect(ended.code).toBe(2);
  expect(ended.err).toContain(first);
  expect(ended.err).toContain('--resume');
  expect(provider.requests).toHaveLength(1);
  expect(readFileSync(transcriptOf(place, first), 'utf8')).toBe(before);
  const elsewhere = { ...newPlace(), home: place.home };
  expect((await cadre(['-p', '--session-id', first, 'Again.'], { place: elsewhere, provider })).code).toBe(2);
});

test('a session that is open in another process is refused', async () => {
  const place = newPlace();
  await using provider = await fakeProvider({
    script: ['Begun.', call('Bash', { command: 'touch started; sleep 300' })],
  });
  await ask(place, provider, ['--session-id', first, 'One.']);
  const flags = ['--permission-mode', 'bypassPermissions'];
  const running = start(['-p', '-c', 'Wait.', ...flags], { place, provider });
  await until(() => existsSync(join(place.cwd, 'started')));
  const ended = await cadre(['-p', '--resume', first, 'Me too.'], { place, provider });
  process.kill(running.pid, 'SIGINT');
  await running.ended;
  expect(ended.code).toBe(2);
  expect(ended.err).toContain(`pid ${running.pid}`);
  expect(ended.err).toContain('--fork-session');
});

test('--no-session-persistence leaves nothing, not even the name of the directory', async () => {
  const place = newPlace();
  const loud = 'for i in $(seq 20000); do echo "line $i"; done';
  const turns = [call('Bash', { command: loud }), 'Done.'];
  await using provider = await fakeProvider({ script: [...turns, ...turns] });
  const flags = ['--no-session-persistence', '--permission-mode', 'bypassPermissions'];
  // Twice: once a day a run also clears up after others.
  for (const _ of [1, 2]) {
    const ended = await cadre(['-p', 'Go.', ...flags], { place, provider });
    expect(ended).toMatchObject({ code: 0, out: 'Done.\n' });
    expect(filesOf(place).filter((name) => name.startsWith('projects/'))).toEqual([]);
  }
  expect((await cadre(['sessions', '--all'], { place })).out).toBe('No sessions yet.\n');
});

test('cadre sessions lists those of this directory, --all every one, --json for programs', async () => {
  const place = newPlace();
  const elsewhere = { ...newPlace(), home: place.home };
  await using provider = await answering();
  await ask(place, provider, ['--session-id', first, 'Mend the build.']);
  await ask(elsewhere, provider, ['--session-id', second, 'Write docs.']);
  await ask(place, provider, ['--session-id', third, 'Rename it.']);

  const here = (await cadre(['sessions'], { place })).out.trimEnd().split('\n');
  expect(here.map((line) => line.slice(0, 36))).toEqual([third, first]);
  expect(here[1]).toContain('Mend the build.');
  const all = (await cadre(['sessions', '--all'], { place })).out;
  expect(all).toContain(second);
  const listed = JSON.parse((await cadre(['sessions', '--all', '--json'], { place })).out);
  expect(listed.map((session: { id: string }) => session.id).sort()).toEqual([first, second, third]);
  expect(listed.find((session: { id: string }) => session.id === second)).toMatchObject({
    cwd: elsewhere.cwd,
    title: 'Write docs.',
  });
  expect((await cadre(['sessions', '--json'], { place: newPlace() })).out).toBe('[]\n');
});

function answering(): Promise<FakeProvider> {
  let count = 0;
  return fakeProvider({ script: () => `Answer ${++count}` });
}

async function ask(place: Place, provider: FakeProvider, args: string[]): Promise<void> {
  const ended = await cadre(['-p', ...args], { place, provider });
  expect(ended).toMatchObject({ code: 0, err: '' });
}

/** The texts that one request held, in order. */
function textsOf(provider: FakeProvider, request: number): string[] {
  const messages = provider.received[request]?.messages ?? [];
  return messages.flatMap(({ content }) =>
    content.flatMap((block) => (block.type === 'text' ? [block.text] : [])),
  );
}

function filesOf(place: Place): string[] {
  return readdirSync(place.home, { recursive: true, encoding: 'utf8' });
}

function transcriptsOf(place: Place): string[] {
  const names = filesOf(place).filter((name) => /[0-9a-f-]{36}\.jsonl$/.test(name));
  return names.map((name) => name.slice(-'.jsonl'.length - 36, -'.jsonl'.length));
}

function transcriptOf(place: Place, id: string): string {
  return join(place.home, filesOf(place).find((name) => name.endsWith(`${id}.jsonl`)) ?? '');
}

test('--resume from another directory continues in the one of the session, and says so', async () => {
  const place = newPlace();
  const elsewhere = { ...newPlace(), home: place.home };
  let turns = 0;
  await using provider = await fakeProvider({
    script: () =>
      ++turns === 2 ? call('Bash', { command: 'pwd > here', description: 'Look' }) : `Answer ${turns}`,
  });
  await ask(place, provider, ['--session-id', first, 'One.']);
  const args = ['-p', '--resume', first, '--permission-mode', 'bypassPermissions', 'Where?'];
  const ended = await cadre(args, { place: elsewhere, provider });
  expect(ended.code).toBe(0);
  expect(ended.err).toContain(`The session continues in its own directory, ${place.cwd}.`);
  expect(readFileSync(join(place.cwd, 'here'), 'utf8').trim()).toBe(place.cwd);
  expect(readdirSync(elsewhere.cwd)).toEqual([]);
  const forked = await cadre(['-p', '--resume', first, '--fork-session', 'In a copy?'], {
    ...{ place: elsewhere, provider },
  });
  expect(forked.err).not.toContain('its own directory');
});

test('--resume of a session whose directory is gone continues here, and says so', async () => {
  const place = newPlace();
  const elsewhere = { ...newPlace(), home: place.home };
  await using provider = await answering();
  await ask(place, provider, ['--session-id', first, 'One.']);
  rmSync(place.cwd, { recursive: true });
  const ended = await cadre(['-p', '--resume', first, 'Two.'], { place: elsewhere, provider });
  expect(ended).toMatchObject({ code: 0, err: expect.stringContaining('no longer exists. It continues in') });
});
