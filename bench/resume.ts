/**
 * P3: a transcript of 100 MB shows its first screen within 300 ms, and resuming reads only what it needs. Makes one that
 * was compacted and one that never was, and looks at each in a compiled program: how long until the last 50 messages
 * are there, and until a session that goes on is ready. The last column is the real program: from its start to its
 * first request.
 *
 *   npm run bench:resume [megabytes]
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../scripts/run.ts';
import { layoutOf } from '../src/store/layout.ts';
import { fakeProvider } from '../src/testing/index.ts';
import { writeTranscript } from './resume-transcript.ts';

const megabytes = Number(process.argv[2] ?? 100);
const rounds = 5;
const repository = join(import.meta.dirname, '..');
const scratch = mkdtempSync(join(tmpdir(), 'cadre-resume-'));
const program = join(scratch, 'look');
const cwd = join(scratch, 'work');
mkdirSync(cwd);

try {
  const build = ['build', join(import.meta.dirname, 'resume-run.ts'), '--compile', '--bytecode', '--minify'];
  await run([process.execPath, ...build, '--format=esm', '--splitting', `--outfile=${program}`], repository);
  console.log('transcript         messages   first screen, ms   session ready, ms   first request, ms');
  for (const compacted of [true, false]) await measure(compacted);
  console.log('promised: the first screen within 300 ms (P3)');
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function measure(compacted: boolean): Promise<void> {
  const home = join(scratch, compacted ? 'compacted' : 'whole');
  const id = compacted ? '11111111-1111-4111-8111-111111111111' : '22222222-2222-4222-8222-222222222222';
  const path = layoutOf(home).transcript(cwd, id);
  const messages = writeTranscript(path, { sessionId: id, cwd, bytes: megabytes * 1e6, compacted });
  const tail = median(() => look('tail', path, home, id));
  const ready = median(() => look('resume', path, home, id));
  const request = await firstRequest(home, id);
  const name = `${megabytes} MB, ${compacted ? 'compacted' : 'whole'}`;
  console.log(
    [
      name.padEnd(19),
      String(messages).padStart(8),
      tail.toFixed(1).padStart(19),
      ready.toFixed(0).padStart(20),
      request.toFixed(0).padStart(20),
    ].join(''),
  );
}

function look(kind: 'tail' | 'resume', path: string, home: string, id: string): number {
  const child = spawnSync(program, [kind, path, cwd, home, id], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(child.stdout).sinceStart;
}

/** A fork, so that the transcript stays as it is. */
async function firstRequest(home: string, id: string): Promise<number> {
  await using provider = await fakeProvider({ script: () => 'Well.' });
  const times: number[] = [];
  for (let round = 0; round < 3; round++) {
    const before = provider.requests.length;
    const start = performance.now();
    const child = Bun.spawn(
      [join(repository, 'dist', 'cadre'), '-p', '--resume', id, '--max-turns', '1', 'go on'],
      {
        cwd,
        env: {
          PATH: process.env.PATH,
          HOME: home,
          CADRE_HOME: home,
          ANTHROPIC_API_KEY: 'key',
          ANTHROPIC_BASE_URL: provider.url,
        },
        stdio: ['ignore', 'ignore', 'ignore'],
      },
    );
    while (provider.requests.length === before && child.exitCode === null) await Bun.sleep(1);
    times.push(performance.now() - start);
    await child.exited;
  }
  return times.toSorted((a, b) => a - b)[1] ?? Number.NaN;
}

function median(measureOnce: () => number): number {
  const all = Array.from({ length: rounds }, measureOnce).toSorted((a, b) => a - b);
  return all[Math.floor(rounds / 2)] ?? Number.NaN;
}
