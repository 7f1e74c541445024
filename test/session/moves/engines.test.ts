import { afterAll, beforeAll, expect } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '../../../src/remote/engine.ts';
import { openEngine, prepareEngine } from '../../../src/remote/open-engine.ts';
import { call, hang, say, type TurnMaker } from '../../../src/testing/index.ts';
import { needsPostgres, needsRedis } from '../../remote/needs-servers.ts';
import {
  type EngineServer,
  hasPostgres,
  hasRedis,
  postgresServer,
  redisServer,
} from '../../remote/servers.ts';
import { get } from '../../remote/support.ts';
import { startWorker, waitFor } from '../../remote/worker-ground.ts';
import { temporaryDirectory } from '../../support/index.ts';
import { attachTo } from './client.ts';
import { moveAway, openHome, watch } from './ground.ts';

const places = { redis: temporaryDirectory().path, postgres: temporaryDirectory().path };
const servers: { redis?: EngineServer; postgres?: EngineServer } = {};

beforeAll(async () => {
  if (hasRedis()) servers.redis = await redisServer(places.redis);
  if (hasPostgres()) servers.postgres = await postgresServer(places.postgres);
  await Promise.all([servers.redis?.start(), servers.postgres?.start()]);
}, 60_000);

afterAll(async () => {
  await Promise.all([servers.redis?.kill(), servers.postgres?.kill()]);
});

const answer: TurnMaker = ({ messages }) => {
  const last = JSON.stringify(messages.at(-1));
  if (last.includes('Write it.')) return call('Write', { file_path: 'b.txt', content: 'two\n' });
  return last.includes('Wait.') ? hang() : say('Done.');
};

for (const [kind, needed] of [
  ['redis', needsRedis],
  ['postgres', needsPostgres],
] as const)
  needed(
    `RM4 on ${kind} a session moves, is prompted through the engine, and comes back`,
    async () => {
      const url = servers[kind]?.url ?? '';
      get(await prepareEngine(url));
      const open = async (): Promise<Engine> => get(await openEngine(url));
      const [engine, far] = [await open(), await open()];
      const home = openHome(engine);
      const worker = startWorker({ engine: far, trusts: [home.key.name], turns: answer });
      home.trust(worker.key);
      const { session } = await home.open(answer);
      session.send({ type: 'prompt', content: 'Wait.' });
      await waitFor(() => session.messages().length > 0 || undefined);
      await waitFor(async () => ((await engine.notes('worker')).ok ? true : undefined));
      await moveAway(session);
      await waitFor(() => worker.model.requests[0]);
      const attached = await attachTo(home, engine, session.id);
      const seen = watch(attached);
      attached.send({ type: 'interrupt' });
      await waitFor(() => seen.find(({ type }) => type === 'run_ended'));
      attached.send({ type: 'prompt', content: 'Write it.' });
      await waitFor(() => isDone(seen) || undefined);
      await attached.close();
      expect(existsSync(join(home.at.cwd, 'b.txt'))).toBe(false);
      expect(get(await home.bring(session.id))).toEqual({ kind: 'checkout' });
      expect(readFileSync(join(home.at.cwd, 'b.txt'), 'utf8')).toBe('two\n');
      await worker.end();
      await engine.close();
      await far.close();
    },
    60_000,
  );

function isDone(seen: ReturnType<typeof watch>): boolean {
  return seen.some((event) => event.type === 'run_ended' && event.outcome.text === 'Done.');
}
