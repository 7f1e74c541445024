import { expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionOptions } from '../../src/session/options.ts';
import { say } from '../../src/testing/index.ts';
import { openWired } from '../agents/wire.ts';
import { place } from './support.ts';

const maxBytes = 20_000;
const maxBytesWithEverything = 25_000;
/** As the terminal app opens a session. */
const inApp: SessionOptions = { attended: true, interactive: true };

/** A repository with one commit and this many new files. */
function repository(newFiles: number) {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], { cwd: at.cwd });
  git('init', '-q', '-b', 'main');
  git('commit', '-q', '--allow-empty', '-m', 'The first commit');
  for (let index = 0; index < newFiles; index += 1)
    writeFileSync(join(at.cwd, `new-file-with-a-rather-long-name-${index}.txt`), 'new');
  return at;
}

async function firstBody(at: ReturnType<typeof place>, options: SessionOptions = {}): Promise<string> {
  await using wired = await openWired(() => say('Done.'), options, at);
  await wired.prompt('Hello.');
  return wired.bodies()[0] ?? '';
}

for (const [surface, options] of [
  ['-p', {}],
  ['the app', inApp],
] as const)
  test(`LN2 the lead's first request is at most 20,000 bytes in a repository with many changes, in ${surface}`, async () => {
    const body = await firstBody(repository(500), options);
    expect(body).toContain('Branch: main');
    expect(body).toMatch(/… 4\d\d more/);
    expect(body.includes('AskUserQuestion')).toBe(options === inApp);
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(maxBytes);
  });

test('LN2 the first request with forks, worktrees, planning and web search is at most 25,000 bytes', async () => {
  const at = repository(500);
  writeFileSync(join(at.cwd, '.mcp.json'), '{}');
  const environment = { ...at.environment, CADRE_FORK_SUBAGENT: '1' };
  expect(Buffer.byteLength(await firstBody({ ...at, environment }, inApp))).toBeLessThanOrEqual(
    maxBytesWithEverything,
  );
});

test('the git status comes once, before the first prompt, and stays as it was', async () => {
  const at = repository(1);
  await using wired = await openWired(() => say('Done.'), {}, at);
  await wired.prompt('First prompt.');
  writeFileSync(join(at.cwd, 'later.txt'), 'later');
  await wired.prompt('Second prompt.');
  const [first = '', second = ''] = wired.bodies();
  expect(first.indexOf('Branch: main')).toBeGreaterThan(0);
  expect(first.indexOf('Branch: main')).toBeLessThan(first.indexOf('First prompt.'));
  expect(second.match(/Branch: main/g)).toHaveLength(1);
  expect(second).not.toContain('later.txt');
  expect(JSON.stringify(JSON.parse(second).messages[0])).toBe(JSON.stringify(JSON.parse(first).messages[0]));
});

test('a resumed conversation is not told the git status again', async () => {
  const at = repository(1);
  let id = '';
  {
    await using wired = await openWired(() => say('Done.'), {}, at);
    await wired.prompt('First prompt.');
    id = wired.session.id;
  }
  await using wired = await openWired(() => say('Done.'), { resume: { from: 'id', id } }, at);
  await wired.prompt('Second prompt.');
  expect(wired.bodies()[0]?.match(/Branch: main/g)).toHaveLength(1);
});

test('outside a repository nothing is said of git', async () => {
  expect(await firstBody(place())).not.toContain('Branch: main');
});
