/**
 * The last step of `npm test`: all test files, in batches, twice as many at a time as there are cores, since many tests
 * wait for a program more than they compute. With arguments it is `bun test` with these.
 */
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { makeBatches, runBatches } from './test-batches.ts';

const repository = join(import.meta.dirname, '..');
/** More tests beside each other than this would run into their limits in time. */
const maxLanes = 4;
/** Of a test: what takes seconds by itself may take a minute beside others. */
const limitMs = 120_000;
const bunTest = [process.execPath, 'test', '--timeout', String(limitMs)];

const given = process.argv.slice(2);
process.exitCode = given.length > 0 ? await runGiven() : await runAll();

function runGiven(): Promise<number> {
  const [program = '', ...args] = [...bunTest, ...given];
  const child = spawn(program, args, { stdio: 'inherit' });
  return new Promise((resolve) => child.once('close', (code) => resolve(code ?? 1)));
}

function runAll(): Promise<number> {
  const names = readdirSync(join(repository, 'test'), { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => /\.test\.tsx?$/.test(name)).map((name) => `./test/${name}`);
  return runBatches(makeBatches(files), {
    ...{ command: bunTest, cwd: repository, write: (text) => process.stdout.write(text) },
    lanes: Math.min(availableParallelism() * 2, maxLanes),
  });
}
