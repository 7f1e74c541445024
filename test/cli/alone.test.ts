import { beforeAll, expect, test } from 'bun:test';
import { copyFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, fakeProvider, type Turn, toolResultText } from '../../src/testing/index.ts';
import { temporaryDirectory } from '../support/index.ts';
import { cadre, newPlace, type Place, program } from './support.ts';

/** The program as somebody gets it who downloads one file: nothing beside it, nothing around it. */
const alone = join(temporaryDirectory().path, 'cadre');
beforeAll(() => copyFileSync(program, alone));

const search = () => call('Grep', { pattern: 'needle', output_mode: 'content' });
const env = { PATH: '/usr/bin:/bin' };

test('the program needs nothing but itself: search, edit and run', async () => {
  const place = newPlace();
  writeFileSync(join(place.cwd, 'notes.txt'), 'a needle\n');
  const result = await runTurns(place, [
    call('Glob', { pattern: '**/*.txt' }),
    search(),
    call('Read', { file_path: 'notes.txt' }),
    call('Edit', { file_path: 'notes.txt', old_string: 'a needle', new_string: 'two needles' }),
    call('Bash', { command: 'cat notes.txt' }),
    'Done.',
  ]);
  expect(result).toMatchObject({ code: 0 });
  expect(result.results.some((text) => text.includes('1:a needle'))).toBe(true);
  expect(result.results.at(-1)).toContain('two needles');
  expect(readFileSync(join(place.cwd, 'notes.txt'), 'utf8')).toBe('two needles\n');
});

test('ripgrep is extracted for its owner alone', async () => {
  const place = newPlace();
  await runTurns(place, [search(), 'Done.']);
  const [name = ''] = readdirSync(join(place.home, 'bin'));
  expect(name).toStartWith('rg-');
  expect(statSync(join(place.home, 'bin', name)).mode & 0o7777).toBe(0o700);
});

test('an extracted ripgrep that was damaged is replaced, not run', async () => {
  const place = newPlace();
  writeFileSync(join(place.cwd, 'notes.txt'), 'a needle\n');
  await runTurns(place, [search(), 'Done.']);
  const [name = ''] = readdirSync(join(place.home, 'bin'));
  const path = join(place.home, 'bin', name);
  const whole = readFileSync(path);
  const marker = join(place.userHome, 'ran');
  writeFileSync(path, `#!/bin/sh\necho ran > '${marker}'\n`);
  const { results } = await runTurns(place, [search(), 'Done.']);
  expect(results[0]).toContain('notes.txt');
  expect(readdirSync(place.userHome)).toEqual([]);
  expect(readFileSync(path).equals(whole)).toBe(true);
});

test('programs that extract ripgrep at the same time do not disturb each other', async () => {
  const place = newPlace();
  writeFileSync(join(place.cwd, 'notes.txt'), 'a needle\n');
  const runs = await Promise.all([1, 2, 3].map(() => runTurns(place, [search(), 'Done.'])));
  for (const { code, results } of runs) {
    expect(code).toBe(0);
    expect(results[0]).toContain('notes.txt');
  }
  expect(readdirSync(join(place.home, 'bin'))).toHaveLength(1);
});

async function runTurns(place: Place, script: Turn[]) {
  await using provider = await fakeProvider({ script });
  const flags = ['--permission-mode', 'acceptEdits', '--allowedTools', 'Bash(cat *)'];
  const ended = await cadre(['-p', 'Go.', ...flags], { place, provider, env, program: alone });
  provider.assertConsumed();
  const results = provider.received.slice(1).map(toolResultText);
  return { ...ended, results };
}
