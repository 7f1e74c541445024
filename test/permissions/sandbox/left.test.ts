import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { removeLeftProxies } from '../../../src/permissions/sandbox/left-proxies.ts';
import { markedSandbox, removeLeft } from '../../../src/permissions/sandbox/left-sandboxes.ts';
import { temporaryDirectory } from '../../support/index.ts';

test('the directory of a proxy that was killed is removed, that of a living one is not, nor anything else', async () => {
  const prefix = join(temporaryDirectory().path, 'cadre-');
  const [dead, alive, other] = [mkdtempSync(prefix), mkdtempSync(prefix), mkdtempSync(prefix)];
  writeFileSync(join(other, 'proxy'), '');
  const script = `require('net').createServer().listen(${JSON.stringify(join(dead, 'proxy'))}, () => process.kill(process.pid, 'SIGKILL'))`;
  Bun.spawnSync([process.execPath, '-e', script]);
  expect(existsSync(join(dead, 'proxy'))).toBe(true);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(join(alive, 'proxy'), () => resolve()));
  await removeLeftProxies(prefix);
  expect([dead, alive, other].map((path) => existsSync(path))).toEqual([false, true, true]);
  server.close();
});

test('the sandbox of a killed landing is removed, that of a living one is not', async () => {
  const { path: home } = temporaryDirectory();
  const [own, dead] = [markedSandbox(home), join(home, 'sandboxes', '4194305.1')];
  for (const path of [own, dead]) mkdirSync(join(path, 'tmp'), { recursive: true });
  await removeLeft(home);
  expect([own, dead].map((path) => existsSync(path))).toEqual([true, false]);
});
