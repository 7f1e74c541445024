/** Cadre and every installed peer against one fake provider, rounds interleaved, one table of medians. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureGaps, measureMemory, measureStart, type Runner } from './measure.ts';
import { cadre } from './peers/cadre.ts';
import { codex } from './peers/codex.ts';
import { pi } from './peers/pi.ts';
import { type Provider, startProvider } from './provider.ts';
import { median, type Row, renderTable } from './table.ts';

const turnsPerRun = 20;

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '10' },
    only: { type: 'string', multiple: true },
    save: { type: 'boolean', default: false },
  },
});

const repository = join(import.meta.dirname, '..');
const cache = join(homedir(), '.cache', 'cadre-bench');
const places = { repository, peers: process.env.CADRE_BENCH_PEERS ?? cache };

const provider = await startProvider();
// Beside the user's cache, since Codex does less work when its home is a temporary directory.
mkdirSync(cache, { recursive: true });
const ground = mkdtempSync(join(cache, 'run-'));
try {
  const runners = prepareRunners(provider, ground);
  const rows = await measureAll(runners, provider, Number(flags.rounds));
  console.log(renderTable(rows, Object.keys(versions(runners))));
  if (flags.save) save(rows, versions(runners));
} finally {
  provider.stop();
  rmSync(ground, { recursive: true, force: true });
}

function prepareRunners(provider: Provider, ground: string): Runner[] {
  const runners = [cadre, codex, pi].flatMap((contestant): Runner[] => {
    if (flags.only && !flags.only.includes(contestant.name)) return [];
    const installed = contestant.find(places);
    if (!installed) {
      console.error(`${contestant.name}: not installed, left out (see bench/README.md)`);
      return [];
    }
    const home = join(ground, contestant.name, 'home');
    const workspace = join(ground, contestant.name, 'workspace');
    for (const directory of [home, workspace]) mkdirSync(directory, { recursive: true });
    furnish(workspace);
    const launch = installed.prepare({ home, baseUrl: provider.baseUrl });
    return [{ name: contestant.name, installed, launch, workspace }];
  });
  console.error(`measuring ${runners.map((r) => `${r.name} ${r.installed.version}`).join(', ')}`);
  return runners;
}

/** A small git repository, as a user would have one. */
function furnish(workspace: string): void {
  for (let turn = 0; turn < turnsPerRun; turn++)
    writeFileSync(join(workspace, `file-${turn}.txt`), `line of file ${turn}\n`.repeat(20));
  execFileSync('git', ['init', '--quiet', workspace]);
}

async function measureAll(runners: Runner[], provider: Provider, rounds: number): Promise<Row[]> {
  const starts: Samples = {};
  const sizes: Samples = {};
  const memory: Samples = {};
  const reads: Samples = {};
  const shells: Samples = {};
  for (let round = 0; round < rounds; round++) {
    // The first starts fill the disk cache and the contestants' own; they are not counted.
    for (const runner of runners) if (round === 0) await attempt(() => measureStart(runner, provider));
    for (const runner of runners) {
      const start = await attempt(() => measureStart(runner, provider));
      if (start) add(starts, runner, start.ms);
      if (start) add(sizes, runner, start.bytes / 1024);
    }
    for (const runner of runners) add(memory, runner, await attempt(() => measureMemory(runner, provider)));
    if (round % 3 !== 0) continue; // Each of these runs gives twenty figures.
    for (const runner of runners)
      for (const [samples, kind] of [[reads, 'read'] as const, [shells, 'shell'] as const])
        for (const gap of (await attempt(() => measureGaps(runner, provider, kind, turnsPerRun))) ?? [])
          add(samples, runner, gap);
  }
  const share = (of: number, text: string) => ({ kind: 'share', of, text }) as const;
  return [
    {
      title: 'spawn to first request',
      unit: 'ms',
      figures: medians(starts),
      goal: share(1 / 3, '≤ 1/3 of fastest'),
    },
    {
      title: 'peak memory, one turn',
      unit: 'MB',
      figures: medians(memory),
      goal: share(1 / 2, '≤ 1/2 of leanest'),
    },
    { title: 'gap, read turn', unit: 'ms', figures: medians(reads), goal: share(1 / 2, '≤ 1/2 of fastest') },
    {
      title: 'gap, shell turn',
      unit: 'ms',
      figures: medians(shells),
      goal: share(2 / 3, '≤ 2/3 of fastest'),
    },
    {
      title: 'first request',
      unit: 'KB',
      figures: medians(sizes),
      goal: { kind: 'limit', atMost: 20, text: '≤ 20 KB' },
    },
  ];
}

type Samples = Record<string, number[]>;

function add(samples: Samples, runner: Runner, figure: number | undefined): void {
  if (figure === undefined) return;
  samples[runner.name] ??= [];
  samples[runner.name]?.push(figure);
}

function medians(samples: Samples): Record<string, number> {
  return Object.fromEntries(Object.entries(samples).map(([name, figures]) => [name, median(figures)]));
}

/** A run that fails is said and left out; it does not end the bench. */
async function attempt<T>(measure: () => Promise<T>): Promise<T | undefined> {
  try {
    return await measure();
  } catch (error) {
    process.exitCode = 1;
    console.error(error instanceof Error ? error.message : error);
    return undefined;
  }
}

function versions(runners: Runner[]): Record<string, string> {
  return Object.fromEntries(runners.map((runner) => [runner.name, runner.installed.version]));
}

function save(rows: Row[], measured: Record<string, string>): void {
  const commit = execFileSync('git', ['-C', repository, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
  const machine = {
    platform: `${process.platform}-${process.arch}`,
    cores: cpus().length,
    cpu: cpus()[0]?.model,
  };
  const figures = Object.fromEntries(
    rows.map((row) => [
      `${row.title}, ${row.unit}`,
      Object.fromEntries(
        Object.entries(row.figures).map(([name, figure]) => [name, Number(figure.toFixed(2))]),
      ),
    ]),
  );
  const path = join(repository, 'bench', 'baselines.json');
  // Those of the bench of agents are in the same file, and stay.
  const before = JSON.parse(readFileSync(path, 'utf8')).figures;
  const all = { ...before, ...figures };
  const baseline = { commit, date: new Date().toISOString(), machine, versions: measured, figures: all };
  writeFileSync(path, `${JSON.stringify(baseline, null, 2)}\n`);
}
