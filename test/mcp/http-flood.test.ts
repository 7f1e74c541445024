import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

let server: ChildProcess;
let port = '';

beforeAll(async () => {
  server = spawn(process.execPath, [join(import.meta.dirname, 'http-server.ts')]);
  port = await new Promise((resolve) => server.stdout?.once('data', (chunk) => resolve(`${chunk}`.trim())));
});
afterAll(() => void server.kill());

/** In a process of its own: what other tests have left behind must not count. */
async function flood(type: string, path: string) {
  const script = spawn(process.execPath, [
    join(import.meta.dirname, 'http-flood.script.ts'),
    port,
    type,
    path,
  ]);
  let out = '';
  script.stdout.on('data', (chunk) => {
    out += chunk;
  });
  await new Promise((resolve) => script.once('close', resolve));
  return JSON.parse(out) as { said: string; megabytes: number };
}

const tooMany = 'more than 2000 messages per second and was stopped';
const endless = 'an endless message and was stopped';

for (const [type, path, why] of [
  ['http', '/connect/lines', endless],
  ['sse', '/connect/lines', endless],
  ['http', '/connect/comments', tooMany],
  ['sse', '/connect/comments', tooMany],
  ['http', '/call/lines', endless],
  ['http', '/call/line', endless],
  ['http', '/call/comments', tooMany],
  ['http', '/call/changes', tooMany],
  ['http', '/call/progress', tooMany],
] as const)
  test(`a server that floods over ${type} (${path}) is ended, and memory stays (R13)`, async () => {
    const { said, megabytes } = await flood(type, path);
    expect(said).toContain(why);
    expect(megabytes).toBeLessThan(50);
  });

test('an answer of 100 MB over http is dropped, its call is told, and memory stays (R13)', async () => {
  const { said, megabytes } = await flood('http', '/call/large');
  expect(said).toContain('a message of more than 8388608 bytes');
  expect(megabytes).toBeLessThan(50);
});
