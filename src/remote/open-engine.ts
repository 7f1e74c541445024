import { failure, formatError, type Result, usage } from '../lib/result.ts';
import type { Engine, EngineOptions } from './engine.ts';
import { readEngineAddress } from './engines/address.ts';

/** Connects to the engine at an address. A server that does not answer, or is not prepared, is a problem. */
export async function openEngine(text: string, options: EngineOptions = {}): Promise<Result<Engine>> {
  const address = readEngineAddress(text);
  if (!address.ok) return address;
  try {
    const { openRedisEngine, openPostgresEngine } = await import('./engines/servers.ts');
    return address.value.kind === 'redis'
      ? await openRedisEngine(address.value, options)
      : await openPostgresEngine(address.value, options);
  } catch (error) {
    return explainMissing(error) ?? failure(`The engine at ${address.value.title}: ${formatError(error)}`);
  }
}

/** Creates what the engine needs on its server. Does nothing where that exists. */
export async function prepareEngine(text: string, options: EngineOptions = {}): Promise<Result<string>> {
  const address = readEngineAddress(text);
  if (!address.ok) return address;
  try {
    const { prepareServer } = await import('./engines/servers.ts');
    return await prepareServer(address.value, options);
  } catch (error) {
    return explainMissing(error) ?? failure(`The engine at ${address.value.title}: ${formatError(error)}`);
  }
}

/** The packages are optional for programs that use the library. */
function explainMissing(error: unknown): Result<never> | undefined {
  const missing = /Cannot find (?:package|module) '(bullmq|ioredis|pg)/.exec(formatError(error))?.[1];
  if (missing === undefined) return undefined;
  return usage(
    `The package ${missing} is not installed, which engines need.`,
    'npm install bullmq@6.7.0 ioredis@6.0.0 pg@8.23.1',
  );
}
