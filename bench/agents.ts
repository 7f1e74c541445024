/**
 * What delegation costs. 8, 16, 32 and 64 sub-agents at once with five read turns each, through the fake provider at
 * 200 ms an answer, with the program as it is shipped: how much longer it takes than the model alone from the second run
 * in a home on, and its memory. Then 100 and 1,000 sub-agents in one process: memory of each, CPU of a turn.
 *
 *   npm run bench:agents              # 5 rounds
 *   npm run bench:agents -- --save    # and write it into bench/baselines.json
 *   npm run bench:agents -- --spans   # only how long it takes
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type FakeProvider, fakeProvider } from '../src/testing/index.ts';
import type { AgentFigures } from './agents-run.ts';
import { answerer, criticalPath, listFileNames } from './agents-work.ts';
import { watchMemory } from './memory.ts';
import { cadre } from './peers/cadre.ts';
import { median, type Row, renderTable } from './table.ts';

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    save: { type: 'boolean', default: false },
    spans: { type: 'boolean', default: false },
  },
});

const repository = join(import.meta.dirname, '..');
/** At most this many times the model's own time. */
const maxSpans = new Map([
  [8, 1.05],
  [16, 1.08],
  [32, 1.12],
  [64, 1.15],
]);
const rows: Row[] = [];
for (const [agents, atMost] of maxSpans)
  rows.push(...(await measureSpan(Number(flags.rounds), agents, atMost)));
if (!flags.spans) rows.push(...measureScale(3));
console.log(renderTable(rows, ['cadre']));
if (flags.save) save(rows);
process.exit(0);

async function measureSpan(rounds: number, agents: number, atMost: number): Promise<Row[]> {
  const ground = mkdtempSync(join(tmpdir(), 'cadre-agents-'));
  const spans: number[] = [];
  const peaks: number[] = [];
  const firsts: number[] = [];
  const port = await findFreePort();
  try {
    await runOnce(ground, agents, port, false);
    for (let round = 0; round < rounds; round++) {
      const run = await runOnce(ground, agents, port, false);
      spans.push(run.span / run.ideal);
      firsts.push(run.exploreBytes / 1024);
      // Measuring costs time: memory has separate runs.
      if (agents === 8) peaks.push((await runOnce(ground, agents, port, true)).peakMegabytes);
    }
  } finally {
    rmSync(ground, { recursive: true, force: true });
  }
  const span = row(`${agents} agents x 5 turns: span / ideal`, 'ratio', median(spans), atMost);
  if (agents !== 8) return [span];
  return [
    span,
    row(`${agents} agents x 5 turns: peak memory`, 'MB', Math.max(...peaks), 88),
    row('first request of Explore', 'KB', Math.max(...firsts), 12),
  ];
}

/** What is learnt of a provider belongs to its address: all runs in a home speak to the same one. */
async function findFreePort(): Promise<number> {
  const provider = await fakeProvider({ script: [] });
  await provider.close();
  return Number(new URL(provider.url).port);
}

async function runOnce(ground: string, agents: number, port: number, watch: boolean) {
  const home = join(ground, 'home');
  mkdirSync(home, { recursive: true });
  const workspace = mkdtempSync(join(ground, 'work-'));
  for (const name of listFileNames(agents))
    writeFileSync(join(workspace, name), `line of ${name}\n`.repeat(20));
  const provider = await fakeProvider({ script: answerer(workspace, agents), latencyMs: 200, port });
  try {
    const peakMegabytes = await runProgram(home, workspace, provider, watch, agents);
    if (provider.complaints.length > 0) throw new Error(provider.complaints.join('\n'));
    return { ...criticalPath(provider.requests, agents), peakMegabytes };
  } finally {
    await provider.close();
  }
}

async function runProgram(
  home: string,
  workspace: string,
  provider: FakeProvider,
  watch: boolean,
  agents: number,
) {
  const launch = cadre.find({ repository, peers: '' })?.prepare({ home, baseUrl: provider.url });
  if (!launch) throw new Error('dist/cadre is not there: npm run build');
  const [program, ...beforePrompt] = launch.command;
  const child = spawn(program, [...beforePrompt, 'Please delegate.'], {
    cwd: workspace,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      CLAUDE_CODE_MAX_CONCURRENT_SUBAGENTS: String(agents),
      ...launch.environment,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const stopWatching = watch && child.pid ? watchMemory(child.pid) : () => 0;
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`cadre ended with ${code}`);
  return stopWatching();
}

function measureScale(rounds: number): Row[] {
  const runs = Array.from({ length: rounds }, () => ({ hundred: runScale(100), thousand: runScale(1_000) }));
  // The least of them: what else the machine does can only add.
  const least = (size: 'hundred' | 'thousand', figure: keyof AgentFigures) =>
    Math.min(...runs.map((run) => run[size][figure]));
  const ratio = (figure: keyof AgentFigures) => least('thousand', figure) / least('hundred', figure);
  return [
    row('100 agents: memory each', 'KB', least('hundred', 'kilobytesEach'), 1024),
    row('1,000 agents: memory each', 'KB', least('thousand', 'kilobytesEach'), 1024),
    row('1,000 agents: resident memory each', 'KB', least('thousand', 'residentEach'), 1024),
    row('1,000 against 100: memory each', 'ratio', ratio('kilobytesEach'), 1.2),
    row('1,000 agents: CPU a turn', 'ms', least('thousand', 'cpuMsPerTurn'), 5),
    row('1,000 against 100: CPU a turn', 'ratio', ratio('cpuMsPerTurn'), 1.2),
  ];
}

function runScale(count: number): AgentFigures {
  const child = spawnSync(process.execPath, [join(import.meta.dirname, 'agents-run.ts'), String(count)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const figures: AgentFigures = JSON.parse(child.stdout);
  if (figures.completed !== figures.started)
    throw new Error(`${figures.completed} of ${figures.started} completed`);
  return figures;
}

function row(title: string, unit: string, figure: number, atMost: number): Row {
  return {
    title,
    unit,
    figures: { cadre: figure },
    goal: { kind: 'limit', atMost, text: `at most ${atMost}` },
  };
}

/** Beside the figures of the other benches, which stay as they are. */
function save(rows: Row[]): void {
  const path = join(repository, 'bench', 'baselines.json');
  const before = JSON.parse(readFileSync(path, 'utf8'));
  const figures = Object.fromEntries(
    rows.map(({ title, unit, figures }) => [
      `${title}, ${unit}`,
      { cadre: Number((figures.cadre ?? 0).toFixed(3)) },
    ]),
  );
  const all = { ...before, figures: { ...before.figures, ...figures } };
  writeFileSync(path, `${JSON.stringify(all, null, 2)}\n`);
}
