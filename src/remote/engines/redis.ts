import { isIP } from 'node:net';
import { Redis, type RedisOptions } from 'ioredis';
import { failure, formatError, ok, type Result } from '../../lib/result.ts';
import { endSentence } from '../../lib/text/text.ts';
import {
  checkRows,
  defaultLeaseMs,
  type Engine,
  type EngineNote,
  type EngineOptions,
  type NoteKind,
} from '../engine.ts';
import type { EngineAddress } from './address.ts';
import { bullJobs } from './bull-jobs.ts';

const maxReconnectMs = 5000;
const callMs = 10_000;
/** Rows of a job that nobody removed, from its last append: all of them stay for as long as any. */
const keepSeconds = 30 * 24 * 3600;

/** The epoch must be the current one; then all rows, without those whose key is in the stream already. */
const appendScript = `
local epoch = redis.call('GET', KEYS[1]) or '0'
if ARGV[1] ~= '' and ARGV[1] ~= epoch then return 0 end
for at = 3, #ARGV, 3 do
  local stream = KEYS[2] .. ':' .. ARGV[at]
  redis.call('SADD', KEYS[2] .. ':streams', ARGV[at])
  if redis.call('SADD', stream .. ':keys', ARGV[at + 1]) == 1 then
    redis.call('RPUSH', stream .. ':rows', ARGV[at + 2])
  end
end
for _, name in ipairs(redis.call('SMEMBERS', KEYS[2] .. ':streams')) do
  redis.call('EXPIRE', KEYS[2] .. ':' .. name .. ':keys', ARGV[2])
  redis.call('EXPIRE', KEYS[2] .. ':' .. name .. ':rows', ARGV[2])
end
redis.call('EXPIRE', KEYS[2] .. ':streams', ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[2])
return 1`;

const removeScript = `
for _, name in ipairs(redis.call('SMEMBERS', KEYS[2] .. ':streams')) do
  redis.call('DEL', KEYS[2] .. ':' .. name .. ':keys', KEYS[2] .. ':' .. name .. ':rows')
end
redis.call('DEL', KEYS[2] .. ':streams')
redis.call('INCR', KEYS[1])
redis.call('EXPIRE', KEYS[1], ARGV[1])
return 1`;

/** BullMQ on Redis or Valkey, and our rows beside it. */
export async function openRedisEngine(
  address: EngineAddress,
  { leaseMs = defaultLeaseMs, space = 'cadre' }: EngineOptions,
): Promise<Result<Engine>> {
  const options = readOptions(address.url);
  const client = new Redis({ ...options, lazyConnect: true });
  const away = watchConnection(client);
  const explain = (error: unknown) =>
    `The engine at ${address.title} does not answer: ${endSentence(formatError(away.explain(error)))}`;
  try {
    await client.connect();
  } catch (error) {
    client.disconnect();
    return failure(explain(error), 'Start the server, or fix the address.');
  }
  const attempt = async <T>(action: () => Promise<T>): Promise<Result<T>> => {
    try {
      return ok(await action());
    } catch (error) {
      return failure(explain(error));
    }
  };
  const jobs = bullJobs({ connection: options, prefix: `${space}:queue`, leaseMs, attempt });
  const bell = openBell(options, `${space}:bell`);
  return ok({
    title: address.title,
    enqueue: jobs.enqueue,
    take: jobs.take,
    ...redisRows(client, space, attempt),
    ring: (topic) =>
      attempt(async () => {
        await client.publish(`${space}:bell`, topic);
      }),
    listen: bell.listen,
    async close() {
      bell.close();
      await jobs.close();
      client.disconnect();
    },
  });
}

/** What ioredis says of a call while there is no connection. Why there is none, it has said to its listeners. */
const noConnection = /^(?:Connection is closed|Stream isn't writeable)/;

function watchConnection(client: Redis): { explain(error: unknown): unknown } {
  let cause: unknown;
  client.on('error', (error) => {
    cause = error;
  });
  client.on('ready', () => {
    cause = undefined;
  });
  return {
    explain(error) {
      if (!noConnection.test(formatError(error))) return error;
      return cause ?? 'the connection was closed';
    },
  };
}

type Rows = Pick<Engine, 'claim' | 'append' | 'read' | 'remove' | 'note' | 'notes'>;

function redisRows(
  client: Redis,
  space: string,
  attempt: <T>(action: () => Promise<T>) => Promise<Result<T>>,
): Rows {
  const nameKeys = (jobId: string) => [`${space}:epoch:${jobId}`, `${space}:job:${jobId}`] as const;
  return {
    claim: (jobId) =>
      attempt(async () => {
        const [epoch] = nameKeys(jobId);
        const claimed = await client.incr(epoch);
        await client.expire(epoch, keepSeconds);
        return claimed;
      }),
    append: async (jobId, rows, epoch) => {
      const checked = checkRows(rows);
      if (!checked.ok) return checked;
      return attempt(async () => {
        const flat = rows.flatMap(({ stream, key, body }) => [stream, key, body]);
        const stored = await client.eval(
          appendScript,
          2,
          ...nameKeys(jobId),
          epoch ?? '',
          keepSeconds,
          ...flat,
        );
        return stored === 1 ? 'stored' : 'stale';
      });
    },
    read: (jobId, stream, after, most) =>
      attempt(async () => {
        const bodies = await client.lrange(`${nameKeys(jobId)[1]}:${stream}:rows`, after, after + most - 1);
        return bodies.map((body, at) => ({ seq: after + at + 1, body }));
      }),
    remove: (jobId) =>
      attempt(async () => {
        await client.eval(removeScript, 2, ...nameKeys(jobId), keepSeconds);
      }),
    note: (kind, id, body, forMs) =>
      attempt(async () => {
        const key = `${space}:note:${kind}:${id}`;
        await client
          .multi()
          .set(key, body, 'PX', Math.max(1, Math.ceil(forMs)))
          .sadd(`${space}:notes:${kind}`, id)
          .exec();
      }),
    notes: (kind) => attempt(() => readNotes(client, space, kind)),
  };
}

async function readNotes(client: Redis, space: string, kind: NoteKind): Promise<EngineNote[]> {
  const index = `${space}:notes:${kind}`;
  const read = async (id: string): Promise<EngineNote[]> => {
    const key = `${space}:note:${kind}:${id}`;
    const [body, forMs] = await Promise.all([client.get(key), client.pttl(key)]);
    if (body !== null && forMs > 0) return [{ id, body, forMs }];
    await client.srem(index, id);
    return [];
  };
  return (await Promise.all((await client.smembers(index)).map(read))).flat();
}

/** Its own connection: one that listens cannot do anything else. */
function openBell(options: RedisOptions, channel: string) {
  const listeners = new Set<(topic: string) => void>();
  let client: Redis | undefined;
  const connect = () => {
    // ioredis subscribes again after a reconnect.
    client = new Redis({ ...options, enableOfflineQueue: true, maxRetriesPerRequest: null });
    client.on('error', () => {});
    client.on('message', (_, topic: string) => {
      for (const heard of [...listeners]) heard(topic);
    });
    client.subscribe(channel).catch(() => {});
  };
  return {
    listen(heard: (topic: string) => void) {
      if (!client) connect();
      listeners.add(heard);
      return () => {
        listeners.delete(heard);
      };
    },
    close() {
      listeners.clear();
      client?.disconnect();
    },
  };
}

/** While the server is away a call fails at once: calls that wait would all run when it is back, and take jobs for nobody. */
function readOptions(text: string): RedisOptions {
  const url = new URL(text);
  const host = url.hostname.replace(/^\[|\]$/g, '') || '127.0.0.1';
  return {
    host,
    port: Number(url.port || 6379),
    ...(url.username ? { username: decodeURIComponent(url.username) } : {}),
    ...(url.password ? { password: decodeURIComponent(url.password) } : {}),
    ...(url.pathname.length > 1 ? { db: Number(url.pathname.slice(1)) } : {}),
    // A certificate for an address is checked by that: a name to ask for must be none.
    ...(url.protocol === 'rediss:' ? { tls: isIP(host) ? {} : { servername: host } } : {}),
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: callMs,
    commandTimeout: callMs,
    retryStrategy: (times) => Math.min(250 * 2 ** Math.min(times, 10), maxReconnectMs),
  };
}
