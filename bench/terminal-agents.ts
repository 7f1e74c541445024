import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inherited } from './measure.ts';
import { openPty, type Pty } from './pty.ts';
import { repository } from './runners.ts';
import { preciseNow } from './steps.ts';
import { manyAgents, stampsIn } from './terminal-provider.ts';

export interface AgentsWatched {
  /** From one change of the screen to the next. */
  frameP95: number;
  /** From a piece's being sent to its standing on the screen. */
  shownP95: number;
  echoP95: number;
  /** Every ten seconds. */
  megabytes: number[];
  /** The last minute's median by that of the minute after the warm-up. Undefined where there are no two of them. */
  growth: number | undefined;
  idleCpu: number;
}

/** A hundred agents stream in the background while the user views one of them and types, in turns. */
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
          // What an hour of work fills, these fill in a minute: then every conversation is as long as it gets.
          autoCompactWindow: 8_000,
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
    const begun = await pty.shows(/running \(ctrl-t/);
    if (begun === undefined) throw new Error(`the agents did not start:\n${pty.output().slice(-2_000)}`);
    await Bun.sleep(5_000);
    // A line that is there already is not written whole again: the panel is.
    await press(pty, '\u0014', new RegExp(`${manyAgents} running`));
    await press(pty, 'q', /running \(ctrl-t/);
    const echoes: number[] = [];
    const looks: Look[] = [];
    const megabytes: number[] = [];
    const end = preciseNow() + minutes * 60_000;
    while (preciseNow() < end) {
      megabytes.push(memoryOf(pty.pid));
      looks.push(await lookInto(pty, 5_000));
      const typing = preciseNow() + 5_000;
      while (preciseNow() < typing) echoes.push(await echoOf(pty, echoes.length));
    }
    return {
      ...{ idleCpu, megabytes },
      frameP95: percentile(
        looks.flatMap(({ gaps }) => gaps),
        0.95,
      ),
      shownP95: percentile(
        looks.flatMap(({ delays }) => delays),
        0.95,
      ),
      echoP95: percentile(echoes, 0.95),
      growth: growthOf(megabytes),
    };
  } finally {
    await pty.kill();
    provider.stop();
  }
}

/** In samples. */
const minute = 6;
/** Until conversations are full, and the runtime has compiled what it runs often and found the size of its heap. */
const warmUp = 2 * minute;

function growthOf(megabytes: readonly number[]): number | undefined {
  const steady = megabytes.slice(warmUp);
  if (steady.length < 2 * minute) return undefined;
  return middle(steady.slice(-minute)) / middle(steady.slice(0, minute));
}

/** From a key to its letter on the screen; the prompt is emptied again. */
async function echoOf(pty: Pty, number: number): Promise<number> {
  const word = `q${number.toString(36)}z`;
  pty.forget();
  const at = preciseNow();
  pty.type(word);
  const seen = await pty.shows(new RegExp(word), 5_000);
  pty.type('\u0015');
  await Bun.sleep(100);
  return seen === undefined ? 5_000 : seen - at;
}

interface Look {
  gaps: number[];
  delays: number[];
}

/** What is written within a few milliseconds is one frame. */
const oneFrame = 5;

/** Zooms into the first agent and back. While it is in sight there is something new for every frame. */
async function lookInto(pty: Pty, ms: number): Promise<Look> {
  await press(pty, '\u0014', /return opens/);
  await press(pty, '\r', /Write to/);
  const look: Look = { gaps: [], delays: [] };
  const shown = new Set<number>();
  const from = preciseNow();
  let last: number | undefined;
  let cut = '';
  const stop = pty.watch((text, at) => {
    if (last !== undefined && at - last > oneFrame) look.gaps.push(at - last);
    last = at;
    const whole = cut + text;
    cut = whole.slice(-12);
    for (const sent of stampsIn(whole)) {
      if (sent < from || sent > at || shown.has(sent)) continue;
      shown.add(sent);
      look.delays.push(at - sent);
    }
  });
  await Bun.sleep(ms);
  stop();
  if (look.delays.length === 0) throw new Error(`no piece was shown:\n${pty.output().slice(-2_000)}`);
  await press(pty, '\u001b', /return opens/);
  await press(pty, 'q', /running \(ctrl-t/);
  return look;
}

async function press(pty: Pty, key: string, expected: RegExp): Promise<void> {
  pty.forget();
  pty.type(key);
  if ((await pty.shows(expected)) === undefined) throw new Error(`nothing like ${expected} was shown`);
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

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function middle(values: readonly number[]): number {
  return percentile(values, 0.5);
}
