import { expect, test } from 'bun:test';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, calls, say } from '../../src/testing/index.ts';
import { open, place } from './support.ts';

test('SE1 a call that can change something is in the transcript before it runs; one that only reads is not', async () => {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  writeFileSync(join(at.cwd, 'file'), 'content');
  const turns = [
    calls([
      call('Read', { file_path: join(at.cwd, 'file') }),
      call('Write', { file_path: join(at.cwd, 'new'), content: 'x' }),
    ]),
    call('Bash', { command: `cat ${at.home}/projects/*/*.jsonl > seen` }),
    say('Done.'),
  ];
  const { session, prompt } = await open(at, turns, {
    permissionMode: 'bypassPermissions',
    allowBypass: true,
  });
  await prompt('Go.');
  await session.close();
  const seen = readFileSync(join(at.cwd, 'seen'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ type }) => type === 'call-begun');
  expect(seen.map(({ effect }) => effect)).toEqual(['repeatable', 'unsafe']);
  expect(seen.every(({ epoch }) => epoch === 1)).toBe(true);
});
