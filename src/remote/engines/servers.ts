import { ok, type Result } from '../../lib/result.ts';
import type { EngineOptions } from '../engine.ts';
import type { EngineAddress } from './address.ts';
import { preparePostgres } from './postgres.ts';

export { openPostgresEngine } from './postgres.ts';
export { openRedisEngine } from './redis.ts';

export async function prepareServer(
  address: EngineAddress,
  { space = 'cadre' }: EngineOptions,
): Promise<Result<string>> {
  return address.kind === 'postgres'
    ? preparePostgres(address, space)
    : ok(`Redis at ${address.title} needs no preparation.`);
}
