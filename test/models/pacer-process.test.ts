import { expect, test } from 'bun:test';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { failWith, fakeProvider, say } from '../../src/testing/index.ts';
import { temporaryDirectory } from '../support/index.ts';

test('G6: two processes of one user under one 429: neither sends before its time', async () => {
  let refusedAt = 0;
  const answeredAt: number[] = [];
  await using provider = await fakeProvider({
    script: () => {
      if (refusedAt > 0) {
        answeredAt.push(performance.now());
        return say('hello');
      }
      refusedAt = performance.now();
      return failWith({ kind: 'rate_limited', message: 'slow down', status: 429, retryAfterMs: 1_000 });
    },
  });
  const home = temporaryDirectory().path;
  const [a, b] = [start(provider.url, home), start(provider.url, home)];
  await Promise.all([a.sees('ready'), b.sees('ready')]);
  a.go();
  await a.sees('request_retried');
  b.go();
  await Promise.all([b.sees('request_waited'), a.sees('response_ended'), b.sees('response_ended')]);
  expect(answeredAt).toHaveLength(2);
  for (const at of answeredAt) expect(at - refusedAt).toBeGreaterThanOrEqual(1_000);
  provider.assertConsumed();
}, 20_000);

function start(url: string, home: string) {
  const script = join(import.meta.dirname, 'pacer-process.script.ts');
  const child = spawn(process.execPath, [script, url, home], { stdio: ['pipe', 'pipe', 'inherit'] });
  const seen: string[] = [];
  const lines = createInterface(child.stdout);
  lines.on('line', (line) => seen.push(line));
  return {
    go: () => void child.stdin.write('go\n'),
    async sees(line: string) {
      while (!seen.includes(line)) await once(lines, 'line');
    },
  };
}
