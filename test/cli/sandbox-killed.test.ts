import { expect } from 'bun:test';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { call, fakeProvider, say } from '../../src/testing/index.ts';
import { needs } from '../support/index.ts';
import { cadre, newPlace, type Place, start, until } from './support.ts';

const test = needs('bwrap');

/** Kills the program with `-9` while a command runs, as soon as that has made the file `up`. */
async function killDuring(place: Place, command: string): Promise<void> {
  // In a script: what can be seen in a command is asked about.
  writeFileSync(join(place.cwd, 'hidden.sh'), `${command}; touch up; sleep 600`);
  await using provider = await fakeProvider({
    script: [call('Bash', { command: 'bash hidden.sh' }), say('Done.')],
  });
  const running = start(['-p', 'Go.'], { place, provider });
  await until(() => existsSync(join(place.cwd, 'up')));
  running.child.kill('SIGKILL');
  await running.ended;
}

async function startAgain(place: Place): Promise<string> {
  await using provider = await fakeProvider({ script: [say('Done.')] });
  return (await cadre(['-p', 'Go.'], { place, provider })).err;
}

function journals({ home }: Place): string[] {
  const directory = join(home, 'confined');
  // Beside them are notes about first processes.
  const names = existsSync(directory) ? readdirSync(directory) : [];
  return names.filter((name) => name.endsWith('.json'));
}

test('what stood in for settings while a command ran is gone after the next start', async () => {
  const place = newPlace();
  await killDuring(place, 'true');
  expect(existsSync(join(place.cwd, '.cadre'))).toBe(true);
  expect(statSync(join(place.home, 'confined', journals(place)[0] ?? '')).mode & 0o777).toBe(0o600);
  await startAgain(place);
  expect(readdirSync(place.cwd).sort()).toEqual(['hidden.sh', 'up']);
  expect(journals(place)).toEqual([]);
});

test('protected paths that it had made are taken away at the next start, and that is said', async () => {
  const place = newPlace();
  mkdirSync(join(place.cwd, 'a/b'), { recursive: true });
  await killDuring(place, 'touch .envrc; mkdir -p a/b/.vscode x/y/.git/hooks; touch a/b/.vscode/tasks.json');
  const err = await startAgain(place);
  for (const name of ['.envrc', 'a/b/.vscode', 'x/y/.git', '.cadre'])
    expect([name, existsSync(join(place.cwd, name))]).toEqual([name, false]);
  expect(err).toContain('a/b/.vscode');
  const [taken = ''] = readdirSync(join(place.home, 'taken'));
  expect(readFileSync(join(place.home, 'taken', taken, 'where.json'), 'utf8')).toContain('x/y/.git');
});

test('what the user makes after the kill stays', async () => {
  const place = newPlace();
  await killDuring(place, 'true');
  // As if the kill had been a minute ago.
  const [name = ''] = journals(place);
  const past = Date.now() / 1000 - 60;
  utimesSync(join(place.home, 'confined', name), past, past);
  writeFileSync(join(place.cwd, '.envrc'), 'mine');
  mkdirSync(join(place.cwd, 'sub/.vscode'), { recursive: true });
  await startAgain(place);
  expect(readFileSync(join(place.cwd, '.envrc'), 'utf8')).toBe('mine');
  expect(existsSync(join(place.cwd, 'sub/.vscode'))).toBe(true);
});

test('a command that only looks writes no journal, and one that ended leaves none', async () => {
  const place = newPlace();
  await using provider = await fakeProvider({
    script: [call('Bash', { command: 'ls' }), call('Bash', { command: 'touch x' }), say('Done.')],
  });
  await cadre(['-p', 'Go.'], { place, provider });
  expect(journals(place)).toEqual([]);
});
