import { afterAll, beforeAll, expect, test } from 'bun:test';
import { manualClock } from '../../src/lib/clock.ts';
import type { Engine, EngineOptions } from '../../src/remote/engine.ts';
import { memoryEngine, memoryServer } from '../../src/remote/engines/memory.ts';
import { openEngine, prepareEngine } from '../../src/remote/open-engine.ts';
import { needs, needsThat, temporaryDirectory } from '../support/index.ts';
import { engineConformance } from './engine-conformance.ts';
import { type EngineServer, findPostgres, postgresServer, redisServer } from './servers.ts';

const needsPostgres = needsThat(findPostgres('postgres').startsWith('/'), 'postgres');

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

beforeAll(async () => {
  servers.redis = await redisServer(places.redis.path);
  servers.postgres = await postgresServer(places.postgres.path);
  await Promise.all([servers.redis.start(), servers.postgres.start()]);
}, 30_000);

afterAll(async () => {
  await Promise.all([servers.redis?.kill(), servers.postgres?.kill()]);
});

for (const [kind, needed] of [
  ['redis', needs('redis-server')],
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
});

needsPostgres('processes that prepare the same schema at once do not disturb each other', async () => {
  const url = servers.postgres?.url ?? '';
  const prepared = await Promise.all(
    Array.from({ length: 4 }, () => prepareEngine(url, { space: 'at_once' })),
  );
  expect(prepared.map(({ ok }) => ok)).toEqual([true, true, true, true]);
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
