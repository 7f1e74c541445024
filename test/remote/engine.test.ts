import { afterAll, beforeAll, expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { manualClock } from '../../src/lib/clock.ts';
import type { Engine, EngineOptions } from '../../src/remote/engine.ts';
import { isLeaseLost } from '../../src/remote/engines/bull-jobs.ts';
import { memoryEngine, memoryServer } from '../../src/remote/engines/memory.ts';
import { openEngine, prepareEngine } from '../../src/remote/open-engine.ts';
import { temporaryDirectory } from '../support/index.ts';
import { engineConformance } from './engine-conformance.ts';
import { needsPostgres, needsRedis } from './needs-servers.ts';
import {
  type EngineServer,
  hasPostgres,
  hasRedis,
  postgresServer,
  redisServer,
  secureRedisServer,
} from './servers.ts';

engineConformance(test, 'in this process', () => {
  const clock = manualClock();
  const server = memoryServer(clock);
  return {
    open: async (options) => memoryEngine(server, options),
    passLease: async (ms) => clock.advance(ms),
    kill: async () => {
      server.isAway = true;
    },
    restart: async () => {
      server.isAway = false;
    },
  };
});

const places = { redis: temporaryDirectory(), postgres: temporaryDirectory() };
const servers: { redis?: EngineServer; postgres?: EngineServer } = {};

// Where a server is missing its tests are skipped, and say so.
beforeAll(async () => {
  if (hasRedis()) servers.redis = await redisServer(places.redis.path);
  if (hasPostgres()) servers.postgres = await postgresServer(places.postgres.path);
  await Promise.all([servers.redis?.start(), servers.postgres?.start()]);
}, 30_000);

afterAll(async () => {
  await Promise.all([servers.redis?.kill(), servers.postgres?.kill()]);
});

for (const [kind, needed] of [
  ['redis', needsRedis],
  ['postgres', needsPostgres],
] as const) {
  engineConformance(needed as typeof test, kind, () => {
    const server = servers[kind];
    if (!server) throw new Error(`the ${kind} server did not start`);
    return {
      open: (options) => open(server.url, options),
      passLease: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      kill: () => server.kill(),
      restart: () => server.start(),
    };
  });
}

needsPostgres('a schema that was not prepared is refused, with what to do', async () => {
  const opened = await openEngine(servers.postgres?.url ?? '', { space: 'unprepared' });
  expect(opened).toMatchObject({ ok: false, problem: { kind: 'usage' } });
  expect(opened.ok ? '' : opened.problem.message).toContain('The schema "unprepared"');
  expect(opened.ok ? '' : opened.problem.hint).toContain('cadre worker prepare');
});

needsPostgres('processes that prepare the same schema at once do not disturb each other', async () => {
  const url = servers.postgres?.url ?? '';
  const prepared = await Promise.all(
    Array.from({ length: 4 }, () => prepareEngine(url, { space: 'at_once' })),
  );
  expect(prepared.map(({ ok }) => ok)).toEqual([true, true, true, true]);
});

needsPostgres('sslmode=require checks the certificate of the server, as verify-full does', async () => {
  const { url = '', certificate = '' } = servers.postgres ?? {};
  const refused = await openEngine(`${url}?sslmode=require`);
  expect(refused.ok ? '' : refused.problem.message).toMatch(/self[- ]signed/);
  const trusted = `${url}?sslmode=require&sslrootcert=${certificate}`;
  await (await open(trusted, { space: 'encrypted' })).close();
});

needsRedis('rediss checks the certificate of the server, also where the address is a number', async () => {
  const server = await secureRedisServer(temporaryDirectory().path);
  await server.start();
  const refused = await openEngine(server.url);
  await server.kill();
  expect(refused.ok ? '' : refused.problem.message).toMatch(/self[- ]signed/);
});

needsRedis('a server that refuses the password says so', async () => {
  const refused = await openEngine((servers.redis?.url ?? '').replace('//', '//ada:wrong@'));
  expect(refused.ok ? '' : refused.problem.message).toContain('WRONGPASS');
});

needsRedis('all that is stored of a job stays for as long as any of it is used', async () => {
  const url = servers.redis?.url ?? '';
  const [engine, client] = [await open(url, { space: 'kept' }), new Redis(url)];
  await engine.claim('job');
  for (const stream of ['first', 'second']) await engine.append('job', [{ stream, key: 'a', body: 'x' }]);
  const keys = (await client.keys('kept:*')).sort();
  expect(keys).toHaveLength(6);
  const nearlyOver = 100;
  for (const key of keys) await client.expire(key, nearlyOver);
  await engine.append('job', []);
  const left = await Promise.all(keys.map((key) => client.ttl(key)));
  expect(Math.min(...left)).toBeGreaterThan(nearlyOver);
  client.disconnect();
  await engine.close();
});

test('a space that could leave its schema or its keys is refused', async () => {
  for (const space of ['x", public', 'a:b', 'Upper', '', 'a'.repeat(32)])
    expect(await openEngine('redis://127.0.0.1:1', { space })).toMatchObject({
      ok: false,
      problem: { kind: 'usage' },
    });
});

test('a deadlock is not a lost lease', () => {
  const fail = (code: unknown, text: string) => Object.assign(new Error(text), { code });
  expect(isLeaseLost(fail('40P01', 'deadlock detected'))).toBe(false);
  expect(isLeaseLost(fail(-2, 'Missing lock for job 1. renew'))).toBe(true);
  expect(isLeaseLost(fail(-6, 'Lock mismatch for job 1.'))).toBe(true);
});

test('without the optional packages the engine says what to install, in Bun and in Node', async () => {
  const { path } = temporaryDirectory();
  const entry = join(import.meta.dir, '../../src/remote/open-engine.ts');
  await Bun.build({
    entrypoints: [entry],
    outdir: path,
    target: 'node',
    packages: 'external',
    splitting: true,
  });
  const script = `import { openEngine } from './open-engine.js';
    console.log(JSON.stringify(await openEngine('redis://127.0.0.1:1')));`;
  writeFileSync(join(path, 'try.mjs'), script);
  for (const [program = '', ...args] of [['node'], [process.execPath, '--no-install']]) {
    const ran = spawnSync(program, [...args, 'try.mjs'], { cwd: path, encoding: 'utf8' });
    expect(JSON.parse(ran.stdout)).toMatchObject({
      ok: false,
      problem: { kind: 'usage', hint: 'npm install bullmq@6.7.0 ioredis@6.0.0 pg@8.23.1' },
    });
  }
});

test('a server that does not answer is a problem that names it', async () => {
  const opened = await openEngine('redis://127.0.0.1:1');
  expect(opened).toMatchObject({ ok: false, problem: { kind: 'failure' } });
  expect(opened.ok ? '' : opened.problem.message).toStartWith(
    'The engine at redis://127.0.0.1:1 does not answer',
  );
});

async function open(url: string, options: EngineOptions): Promise<Engine> {
  const prepared = await prepareEngine(url, options);
  if (!prepared.ok) throw new Error(prepared.problem.message);
  const opened = await openEngine(url, options);
  if (!opened.ok) throw new Error(opened.problem.message);
  return opened.value;
}
