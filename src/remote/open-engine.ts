import { failure, formatError, ok, type Result, usage } from '../lib/result.ts';
import { checkOptions, type Engine, type EngineOptions } from './engine.ts';
import { readEngineAddress } from './engines/address.ts';

/** Connects to the engine at an address. A server that does not answer, or is not prepared, is a problem. */
export async function openEngine(text: string, options: EngineOptions = {}): Promise<Result<Engine>> {
  const address = readEngineAddress(text);
  if (!address.ok) return address;
  const checked = checkOptions(options);
  if (!checked.ok) return checked;
  try {
    if (address.value.kind === 'redis')
      return await (await import('./engines/redis.ts')).openRedisEngine(address.value, options);
    return await (await import('./engines/postgres.ts')).openPostgresEngine(address.value, options);
  } catch (error) {
    return explainMissing(error) ?? failure(`The engine at ${address.value.title}: ${formatError(error)}`);
  }
}

/** Creates what the engine needs on its server. Does nothing where that exists. */
export async function prepareEngine(text: string, options: EngineOptions = {}): Promise<Result<string>> {
  const address = readEngineAddress(text);
  if (!address.ok) return address;
  const checked = checkOptions(options);
  if (!checked.ok) return checked;
  try {
    if (address.value.kind === 'redis') return ok(`Redis at ${address.value.title} needs no preparation.`);
    const { preparePostgres } = await import('./engines/postgres.ts');
    return await preparePostgres(address.value, options.space);
  } catch (error) {
    return explainMissing(error) ?? failure(`The engine at ${address.value.title}: ${formatError(error)}`);
  }
}

/** The packages are optional for programs that use the library. */
export function explainMissing(error: unknown): Result<never> | undefined {
  const missing = /Cannot find (?:package|module) '(bullmq|ioredis|pg)/.exec(formatError(error))?.[1];
  if (missing === undefined) return undefined;
  return usage(
    `The package ${missing} is not installed, which engines need.`,
    'npm install bullmq@6.7.0 ioredis@6.0.0 pg@8.23.1',
  );
}
