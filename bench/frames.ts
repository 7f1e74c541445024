/**
 * What a program writes to its terminal while the same long answer streams in: `bun bench/frames.ts`. A frame is what is written with
 * no pause of 4 ms within it. The screen is 100 × 30 for all.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { prompt } from './frames-provider.ts';
import { inherited, type Runner } from './measure.ts';
import { openPty, type Pty } from './pty.ts';
import { closeGround, openGround, prepareRunners, versions } from './runners.ts';
import { saveFigures } from './save.ts';
import { median, type Row, renderTable } from './table.ts';

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', multiple: true },
    save: { type: 'boolean', default: false },
  },
});

const pauseMs = 4;

const provider = Bun.spawn([process.execPath, join(import.meta.dirname, 'frames-provider.ts')], {
  stdout: 'pipe',
});
void listen();
let next = Promise.withResolvers<string>();
/** What the provider says next. */
const hear = () => next.promise;

const ground = openGround();
try {
  const { port } = JSON.parse(await hear());
  const runners = prepareRunners(`http://127.0.0.1:${port}`, ground, flags.only);
  const rows = await measure(runners, Number(flags.rounds));
  console.log(renderTable(rows, Object.keys(versions(runners))));
  if (flags.save) saveFigures(rows, versions(runners));
} finally {
  provider.kill();
  closeGround(ground);
}

async function listen(): Promise<void> {
  for await (const chunk of provider.stdout) {
    const { resolve } = next;
    next = Promise.withResolvers<string>();
    resolve(new TextDecoder().decode(chunk));
  }
}

interface Written {
  bytes: number;
  frames: number;
}

async function measure(runners: readonly Runner[], rounds: number): Promise<Row[]> {
  const seen: Record<string, Written[]> = {};
  for (let round = 0; round < rounds; round++)
    for (const runner of runners) {
      const written = await watchAnswer(runner);
      if (written) seen[runner.name] = [...(seen[runner.name] ?? []), written];
      else console.error(`${runner.name}: no prompt was seen`);
    }
  const row = (title: string, unit: string, goal: Row['goal'], read: (one: Written) => number): Row => {
    const figures = Object.entries(seen).map(([name, all]) => [name, median(all.map(read))]);
    return { title, unit, goal, figures: Object.fromEntries(figures) };
  };
  const none = { kind: 'none', text: '' } as const;
  const half = { kind: 'share', of: 1 / 2, text: "≤ 1/2 of Codex's" } as const;
  return [
    besideCodex(
      row('streamed answer: written in a frame', 'bytes', half, ({ bytes, frames }) => bytes / frames),
    ),
    row('streamed answer: written in all', 'bytes', none, ({ bytes }) => bytes),
    row('streamed answer: frames', 'count', none, ({ frames }) => frames),
  ];
}

/** The promise is about Codex alone; the figures of the others are on stderr. */
function besideCodex(row: Row): Row {
  console.error(JSON.stringify(row.figures));
  const { cadre, codex } = row.figures;
  return { ...row, figures: { ...(cadre ? { cadre } : {}), ...(codex ? { codex } : {}) } };
}

/** While the answer streams, until the screen is quiet again. */
async function watchAnswer({ launch, workspace }: Runner): Promise<Written | undefined> {
  const pty = openPty({
    command: launch.screen.command,
    cwd: workspace,
    environment: { ...inherited(), TERM: 'xterm-256color', COLORTERM: 'truecolor', ...launch.environment },
  });
  try {
    if ((await pty.shows(launch.screen.prompt)) === undefined) return undefined;
    await Bun.sleep(3_000);
    pty.type(prompt);
    await Bun.sleep(500);
    const begun = hear();
    if (!(await send(pty, begun))) return undefined;
    pty.forget();
    let frames = 0;
    let last = 0;
    const stop = pty.watch((_, at) => {
      if (at - last > pauseMs) frames++;
      last = at;
    });
    // Codex breaks its first request off and sends it again.
    while ((await hear()).startsWith('begin')) {
      pty.forget();
      frames = 0;
    }
    await Bun.sleep(500);
    stop();
    return { bytes: Buffer.byteLength(pty.output()), frames };
  } finally {
    await pty.kill();
  }
}

/** Codex asks about the directory at its first prompt, and then waits for the prompt to be sent again. */
async function send(pty: Pty, begun: Promise<unknown>): Promise<boolean> {
  for (let tries = 0; tries < 8; tries++) {
    pty.type('\r');
    if (await Promise.race([begun.then(() => true), Bun.sleep(4_000)])) return true;
  }
  return false;
}
