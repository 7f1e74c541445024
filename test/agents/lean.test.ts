import { expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, say } from '../../src/testing/index.ts';
import { place } from '../session/support.ts';
import { openWired } from './wire.ts';

/** The bytes of the first request of an agent of this type, in a repository with a memory of 20 KB. */
async function firstRequest(subagent_type: string): Promise<{ bytes: number; body: string }> {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  execFileSync('git', ['init', '-q'], { cwd: at.cwd });
  writeFileSync(join(at.cwd, 'CLAUDE.md'), `Remember this.\n${'A rule of the project.\n'.repeat(900)}`);
  let asked = 0;
  await using wired = await openWired(
    () =>
      asked++ === 0
        ? call('Agent', { description: 'Find it', prompt: 'Where is it?', subagent_type })
        : say('There.'),
    {},
    at,
  );
  await wired.prompt('Find it.');
  const request = wired.provider.requests[1];
  return { bytes: request?.body.length ?? 0, body: request?.body.toString() ?? '' };
}

test("LN1 P Explore's first request is at most 12 KB, whatever the project remembers", async () => {
  const { bytes, body } = await firstRequest('Explore');
  expect(body).toContain('Where is it?');
  expect(body).not.toContain('Remember this.');
  expect(bytes).toBeGreaterThan(1_000);
  expect(bytes).toBeLessThanOrEqual(12 * 1024);
});

test('LN1 an agent does not think at length unless somebody asks for it; only read-only types go without memory', async () => {
  const explore = JSON.parse((await firstRequest('Explore')).body);
  expect(explore.thinking ?? { type: 'disabled' }).toEqual({ type: 'disabled' });
  expect((await firstRequest('Plan')).body).not.toContain('Remember this.');
  expect((await firstRequest('general-purpose')).body).toContain('Remember this.');
});
