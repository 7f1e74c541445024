import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inherited } from './measure.ts';
import { openPty, type Pty } from './pty.ts';
import { repository } from './runners.ts';
import { preciseNow } from './steps.ts';
import { manyAgents } from './terminal-provider.ts';

export interface AgentsWatched {
  frameP95: number;
  echoP95: number;
  /** Every ten seconds. */
  megabytes: number[];
  /** The last minute's median by the first's. */
  growth: number;
  idleCpu: number;
}

/** A hundred agents stream in the background while somebody types. */
export async function watchAgents(ground: string, minutes: number): Promise<AgentsWatched> {
  const provider = await startStreams(minutes * 60 + 20);
  const pty = openPty({
    command: [
      join(repository, 'dist', 'cadre'),
      ...['--model', 'anthropic/claude-bench', '--permission-mode', 'bypassPermissions'],
      '--dangerously-skip-permissions',
      ...[
        '--settings',
        JSON.stringify({
          sandbox: { enabled: false },
          agents: { maxConcurrent: manyAgents, askAboveAgents: 1_000 },
        }),
      ],
    ],
    cwd: ground,
    environment: {
      ...inherited(),
      ...{ TERM: 'xterm-256color', CADRE_HOME: join(ground, 'state'), IS_SANDBOX: '1' },
      ...{ ANTHROPIC_BASE_URL: provider.url, ANTHROPIC_API_KEY: 'bench' },
    },
    rows: 40,
  });
  try {
    if ((await pty.shows(/Ask for something/)) === undefined) throw new Error('no prompt');
    await Bun.sleep(2_000);
    const idleCpu = await cpuOver(pty.pid, 5_000);
    pty.type('go\r');
    const begun = await pty.shows(new RegExp(`${manyAgents} tasks`));
    if (begun === undefined) throw new Error(`the agents did not start:\n${pty.output().slice(-2_000)}`);
    await Bun.sleep(3_000);
    const echoes: number[] = [];
    const frames: number[] = [];
    const megabytes: number[] = [];
    const end = preciseNow() + minutes * 60_000;
    for (let second = 0; preciseNow() < end; second++) {
      if (second % 10 === 0) megabytes.push(memoryOf(pty.pid));
      frames.push(...(await framesOver(pty, 500)));
      for (let word = 0; word < 2; word++) echoes.push(await echoOf(pty, second * 2 + word));
    }
    const minute = 6;
    const first = middle(megabytes.slice(0, minute));
    return {
      ...{ idleCpu, megabytes },
      frameP95: percentile(frames, 0.95),
      echoP95: percentile(echoes, 0.95),
      growth: middle(megabytes.slice(-minute)) / first,
    };
  } finally {
    await pty.kill();
    provider.stop();
  }
}

/** From a key to its letter on the screen; the prompt is emptied again. */
async function echoOf(pty: Pty, number: number): Promise<number> {
  const word = `q${number.toString(36)}z`;
  const from = pty.output().length;
  const at = preciseNow();
  pty.type(word);
  const seen = await pty.shows(new RegExp(word), { from, ms: 5_000 });
  pty.type('\u0015');
  await Bun.sleep(100);
  return seen === undefined ? 5_000 : seen - at;
}

/** Times between frames: what comes within a few milliseconds is one. */
async function framesOver(pty: Pty, ms: number): Promise<number[]> {
  const end = preciseNow() + ms;
  const gaps: number[] = [];
  let last: number | undefined;
  let length = pty.output().length;
  while (preciseNow() < end) {
    await Bun.sleep(1);
    const now = preciseNow();
    const size = pty.output().length;
    if (size === length) continue;
    length = size;
    if (last !== undefined && now - last > 5) gaps.push(now - last);
    last = now;
  }
  return gaps;
}

async function startStreams(seconds: number): Promise<{ url: string; stop(): void }> {
  const child = Bun.spawn(
    [process.execPath, join(import.meta.dirname, 'terminal-provider.ts'), String(seconds)],
    {
      stdout: 'pipe',
      stdin: 'pipe',
    },
  );
  const { value } = await child.stdout.getReader().read();
  const { port } = JSON.parse(new TextDecoder().decode(value)) as { port: number };
  return { url: `http://127.0.0.1:${port}`, stop: () => child.kill() };
}

function memoryOf(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}

/** Percent of one core. */
async function cpuOver(pid: number, ms: number): Promise<number> {
  const ticks = () => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(fields[11]) + Number(fields[12]);
  };
  const before = ticks();
  await Bun.sleep(ms);
  return ((ticks() - before) * 10 * 100) / ms;
}

function percentile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function middle(values: number[]): number {
  return percentile(values, 0.5);
}
