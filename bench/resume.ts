/**
 * P3: a transcript of 100 MB shows its first screen within 300 ms, and resuming reads only what it needs. Makes one that
 * was compacted and one that never was. First screen: from the start of the real program on a terminal until the end of
 * the conversation is on the screen. Session ready: in a separate compiled program. First request: the real program, with -p.
 *
 *   npm run bench:resume [megabytes]
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../scripts/run.ts';
import { createLayout } from '../src/store/layout.ts';
import { fakeProvider } from '../src/testing/index.ts';
import { openPty } from './pty.ts';
import { writeTranscript } from './resume-transcript.ts';
import { median } from './table.ts';

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
  const path = createLayout(home).transcript(cwd, id);
  const messages = writeTranscript(path, { sessionId: id, cwd, bytes: megabytes * 1e6, compacted });
  const screen = await firstScreen(home, id);
  const ready = median(Array.from({ length: rounds }, () => openedIn(home, id)));
  const request = await firstRequest(home, id);
  const name = `${megabytes} MB, ${compacted ? 'compacted' : 'whole'}`;
  console.log(
    [
      name.padEnd(19),
      String(messages).padStart(8),
      screen.toFixed(0).padStart(19),
      ready.toFixed(0).padStart(20),
      request.toFixed(0).padStart(20),
    ].join(''),
  );
}

function openedIn(home: string, id: string): number {
  const child = spawnSync(program, [cwd, home, id], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(child.stdout).sinceStart;
}

async function firstScreen(home: string, id: string): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const pty = openPty({
      command: [join(repository, 'dist', 'cadre'), '--resume', id],
      cwd,
      environment: { ...environmentOf(home, 'http://127.0.0.1:9'), TERM: 'xterm-256color' },
    });
    const shown = await pty.shows(/It holds a constant\./);
    times.push(shown === undefined ? Number.NaN : shown - pty.startedAt);
    await pty.kill();
  }
  return median(times);
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
        env: environmentOf(home, provider.url),
        stdio: ['ignore', 'ignore', 'ignore'],
      },
    );
    while (provider.requests.length === before && child.exitCode === null) await Bun.sleep(1);
    times.push(performance.now() - start);
    await child.exited;
  }
  return median(times);
}

function environmentOf(home: string, url: string): Record<string, string> {
  const keys = { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: url };
  return { PATH: process.env.PATH ?? '', HOME: home, CADRE_HOME: home, ...keys };
}
