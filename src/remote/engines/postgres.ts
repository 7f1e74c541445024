import type { BackendFactory } from 'bullmq';
import bull from 'bullmq/dist/cjs/index.js';
import pg from 'pg';
import { failure, formatError, ok, type Result, usage } from '../../lib/result.ts';
import { endSentence } from '../../lib/text/text.ts';
import { checkRows, defaultLeaseMs, type Engine, type EngineOptions } from '../engine.ts';
import type { EngineAddress } from './address.ts';
import { bullJobs } from './bull-jobs.ts';
import { openPostgresBell } from './postgres-bell.ts';
import { schemaStatements, schemaVersion } from './postgres-schema.ts';

const callMs = 10_000;

/** BullMQ on PostgreSQL, and our rows beside it. */
export async function openPostgresEngine(
  address: EngineAddress,
  { leaseMs = defaultLeaseMs, space = 'cadre' }: EngineOptions,
): Promise<Result<Engine>> {
  const options = readOptions(address.url, space);
  const pool = openPool(options);
  const checked = await checkSchema(pool, address, space);
  if (!checked.ok) {
    await pool.end();
    return checked;
  }
  const attempt = async <T>(action: () => Promise<T>): Promise<Result<T>> => {
    try {
      return ok(await action());
    } catch (error) {
      return failure(`The engine at ${address.title} does not answer: ${endSentence(formatError(error))}`);
    }
  };
  const backend = bull.createPostgresBackend as unknown as BackendFactory;
  const connection = { ...options, schema: space, max: 2 };
  const jobs = bullJobs({ connection, backend, prefix: space, leaseMs, attempt });
  const channel = `${space}_bell`;
  const bell = openPostgresBell(options, channel);
  return ok({
    title: address.title,
    enqueue: jobs.enqueue,
    take: jobs.take,
    ...postgresRows(pool, attempt),
    ring: (topic) =>
      attempt(async () => {
        await pool.query('select pg_notify($1, $2)', [channel, topic]);
      }),
    listen: bell.listen,
    async close() {
      await bell.close();
      await jobs.close();
      await pool.end();
    },
  });
}

/** Creates the tables of BullMQ and ours, in one process at a time. */
export async function preparePostgres(address: EngineAddress, space = 'cadre'): Promise<Result<string>> {
  const pool = openPool(readOptions(address.url, space));
  try {
    const client = await pool.connect();
    try {
      await bull.runMigrations(client, space);
      await client.query('begin');
      await client.query('select pg_advisory_xact_lock(hashtext($1))', [`cadre ${space}`]);
      await client.query(schemaStatements);
      await client.query('commit');
    } finally {
      client.release();
    }
    return ok(`The schema "${space}" at ${address.title} is ready.`);
  } catch (error) {
    return failure(`The engine at ${address.title} could not be prepared: ${formatError(error)}.`);
  } finally {
    await pool.end();
  }
}

/** BullMQ on a schema that is not ready reports errors endlessly, so it is checked before BullMQ opens anything. */
async function checkSchema(pool: pg.Pool, address: EngineAddress, space: string): Promise<Result<void>> {
  try {
    const client = await pool.connect();
    try {
      await bull.assertSchemaCompatibility(client, space);
      const { rows } = await client.query<{ version: number }>('select version from cadre_schema');
      if (rows[0]?.version === schemaVersion) return ok(undefined);
      return refuse(address, space, `it has version ${rows[0]?.version}, and ${schemaVersion} was expected`);
    } catch (error) {
      const isSchema =
        error instanceof bull.SchemaMigrationRequiredError || /cadre_schema/.test(formatError(error));
      if (isSchema) return refuse(address, space, 'its tables are missing');
      throw error;
    } finally {
      client.release();
    }
  } catch (error) {
    return failure(
      `The engine at ${address.title} does not answer: ${endSentence(formatError(error))}`,
      'Start the server, or fix the address.',
    );
  }
}

function refuse(address: EngineAddress, space: string, reason: string): Result<never> {
  return usage(
    `The schema "${space}" at ${address.title} is not ready: ${reason}.`,
    'Prepare it once, as a user who may create tables: cadre worker prepare, or prepareEngine in a program.',
  );
}

type Rows = Pick<Engine, 'claim' | 'append' | 'read' | 'remove' | 'note' | 'notes'>;

function postgresRows(pool: pg.Pool, attempt: <T>(action: () => Promise<T>) => Promise<Result<T>>): Rows {
  return {
    claim: (jobId) => attempt(() => raiseEpoch(pool, jobId)),
    append: async (jobId, rows, epoch) => {
      const checked = checkRows(rows);
      if (!checked.ok) return checked;
      return attempt(async () => {
        const lists = [
          rows.map((row) => row.stream),
          rows.map((row) => row.key),
          rows.map((row) => row.body),
        ];
        const found = await pool.query<{ stored: boolean }>(
          'select cadre_append($1, $2, $3, $4, $5) as stored',
          [jobId, epoch ?? null, ...lists],
        );
        return found.rows[0]?.stored ? 'stored' : 'stale';
      });
    },
    read: (jobId, stream, after, most) =>
      attempt(async () => {
        const found = await pool.query<{ seq: string; body: string }>(
          'select seq, body from cadre_rows where job = $1 and stream = $2 and seq > $3 order by seq limit $4',
          [jobId, stream, after, most],
        );
        return found.rows.map(({ seq, body }) => ({ seq: Number(seq), body }));
      }),
    remove: (jobId) =>
      attempt(async () => {
        // The epoch first: whoever appends under the earlier one is refused from then on.
        await raiseEpoch(pool, jobId);
        await pool.query('delete from cadre_rows where job = $1', [jobId]);
      }),
    note: (kind, id, body, forMs) =>
      attempt(async () => {
        await pool.query(
          `insert into cadre_notes (kind, id, body, until) values ($1, $2, $3, now() + $4 * interval '1 millisecond')
           on conflict (kind, id) do update set body = excluded.body, until = excluded.until`,
          [kind, id, body, forMs],
        );
      }),
    notes: (kind) =>
      attempt(async () => {
        await pool.query('delete from cadre_notes where kind = $1 and until <= now()', [kind]);
        const found = await pool.query<{ id: string; body: string; left: string }>(
          `select id, body, extract(epoch from until - now()) * 1000 as left from cadre_notes
           where kind = $1 and until > now()`,
          [kind],
        );
        return found.rows.map(({ id, body, left }) => ({ id, body, forMs: Number(left) }));
      }),
  };
}

async function raiseEpoch(pool: pg.Pool, jobId: string): Promise<number> {
  const found = await pool.query<{ epoch: string }>(
    `insert into cadre_epochs (job, epoch) values ($1, 1)
     on conflict (job) do update set epoch = cadre_epochs.epoch + 1 returning epoch`,
    [jobId],
  );
  return Number(found.rows[0]?.epoch);
}

function openPool(options: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(options);
  // A connection that ends while it is idle; the next call opens another.
  pool.on('error', () => {});
  return pool;
}

function readOptions(url: string, space: string): pg.PoolConfig {
  return {
    connectionString: url,
    max: 4,
    options: `-c search_path="${space}"`,
    connectionTimeoutMillis: callMs,
    query_timeout: callMs,
    keepAlive: true,
  };
}
