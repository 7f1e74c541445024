import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { formatError } from '../../lib/result.ts';
import type { Turn } from '../turns.ts';
import { fakeProvider } from './fake-provider.ts';

const usage = `usage: fake-provider --script FILE [--port N] [--latency MS] [--between MS] [--model ID]...
FILE holds a JSON array of turns, each a string or {"blocks": [...]} or {"failure": {...}}.
Prints its address. On SIGTERM it prints its complaints and exits with 1 if there are any.`;

/** The fake provider as a program, for benches and shell tests. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      script: { type: 'string' },
      port: { type: 'string', default: '0' },
      latency: { type: 'string', default: '0' },
      between: { type: 'string', default: '0' },
      model: { type: 'string', multiple: true },
    },
  });
  if (!values.script) throw new Error(usage);
  const provider = await fakeProvider({
    script: await readScript(values.script),
    port: Number(values.port),
    latencyMs: { first: Number(values.latency), between: Number(values.between) },
    models: values.model,
  });
  process.stdout.write(`${provider.url}\n`);
  const stop = () => {
    process.exitCode = report(() => provider.assertConsumed());
    void provider.close();
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

async function readScript(file: string): Promise<Turn[]> {
  const turns: unknown = JSON.parse(await readFile(file, 'utf8'));
  if (!Array.isArray(turns)) throw new Error(`${file}: expected a JSON array of turns`);
  return turns;
}

function report(check: () => void): number {
  try {
    check();
    return 0;
  } catch (error) {
    process.stderr.write(`${formatError(error)}\n`);
    return 1;
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${formatError(error)}\n`);
  process.exitCode = 2;
});
