/**
 * P4: the memory cost of 2 GB of a command's output. The program runs the command through its real shell tool; only
 * the model is scripted, by a fake provider.
 *
 *   npm run build && npm run bench:output
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { call, fakeProvider, say } from '../src/testing/index.ts';

const gigabytes = 2;
const promisedMegabytes = 300;
const repository = join(import.meta.dirname, '..');
const ground = mkdtempSync(join(tmpdir(), 'cadre-output-'));
const flood = `yes 'the quick brown fox jumps over the lazy dog' | head -c ${gigabytes * 1024 ** 3}`;

try {
  mkdirSync(join(ground, 'work'));
  const { peakMegabytes, seconds } = await measure();
  const verdict = peakMegabytes < promisedMegabytes ? 'kept' : 'missed';
  console.log(`${gigabytes} GB of output: peak ${peakMegabytes.toFixed(0)} MB in ${seconds.toFixed(1)} s`);
  console.log(`promise: under ${promisedMegabytes} MB: ${verdict}`);
} finally {
  rmSync(ground, { recursive: true, force: true });
}

async function measure(): Promise<{ peakMegabytes: number; seconds: number }> {
  await using provider = await fakeProvider({
    script: [call('Bash', { command: flood, timeout: 300_000 }), say('Done.')],
  });
  const start = performance.now();
  const child = spawn(join(repository, 'dist/cadre'), ['-p', 'Go', '--dangerously-skip-permissions'], {
    cwd: join(ground, 'work'),
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env.PATH,
      HOME: ground,
      CADRE_HOME: join(ground, 'home'),
      SHLVL: '1',
      ANTHROPIC_BASE_URL: provider.url,
      ANTHROPIC_API_KEY: 'bench-key',
    },
  });
  let peak = 0;
  const look = setInterval(() => {
    peak = Math.max(peak, highWaterMark(child.pid));
  }, 20);
  await new Promise((resolve) => child.once('exit', resolve));
  clearInterval(look);
  provider.assertConsumed();
  return { peakMegabytes: peak / 1024, seconds: (performance.now() - start) / 1000 };
}

/** In kilobytes; of the program alone, since what the command itself needs is not ours. */
function highWaterMark(pid: number | undefined): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
