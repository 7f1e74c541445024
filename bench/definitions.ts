/**
 * The startup cost of 300 agent, skill and command files, a fifth of them broken, for the program as shipped: the
 * first one, and those after it, which find what was kept. Rounds are interleaved with starts in an empty repository,
 * and what counts is the difference of the medians.
 *
 *   npm run bench:definitions                  # 20 rounds
 *   npm run bench:definitions -- --save        # and write it into bench/baselines.json
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeThreeHundred } from '../test/knowledge/three-hundred.ts';
import { measureStart, type Runner } from './measure.ts';
import { cadre } from './peers/cadre.ts';
import { startProvider } from './provider.ts';
import { median, type Row, renderTable } from './table.ts';

const { values: flags } = parseArgs({
  options: { rounds: { type: 'string', default: '20' }, save: { type: 'boolean', default: false } },
});

const maxMs = 20;
const repository = join(import.meta.dirname, '..');
const ground = mkdtempSync(join(tmpdir(), 'cadre-definitions-'));
const provider = await startProvider();
try {
  const rows = await measure(Number(flags.rounds));
  console.log(renderTable(rows, ['cadre']));
  if (flags.save) save(rows);
} finally {
  provider.stop();
  rmSync(ground, { recursive: true, force: true });
}

async function measure(rounds: number): Promise<Row[]> {
  const empty = prepare('empty');
  const full = prepare('full');
  const { files } = writeThreeHundred(full.workspace);
  // Files younger than two seconds are not cached for the next start.
  const before = new Date(Date.now() - 60_000);
  for (const path of files) utimesSync(path, before, before);
  execFileSync('sleep', ['2.1']);
  const forget = () => rmSync(join(findHome('full'), 'cadre', 'cache'), { recursive: true, force: true });
  const samples = { empty: [] as number[], first: [] as number[], later: [] as number[] };
  for (let round = -1; round < rounds; round++) {
    const start = async (runner: Runner) => (await measureStart(runner, provider)).ms;
    const figures = { empty: await start(empty), first: 0, later: 0 };
    forget();
    figures.first = await start(full);
    figures.later = await start(full);
    // The first round fills the disk cache.
    if (round < 0) continue;
    for (const name of ['empty', 'first', 'later'] as const) samples[name].push(figures[name]);
  }
  const base = median(samples.empty);
  return [
    row('a start without definitions', base),
    row('300 files: the first start, more', median(samples.first) - base, maxMs),
    row('300 files: a later start, more', median(samples.later) - base, maxMs),
  ];
}

function findHome(name: string): string {
  return join(ground, name, 'home');
}

function prepare(name: string): Runner {
  const workspace = join(ground, name, 'workspace');
  for (const directory of [findHome(name), workspace]) mkdirSync(directory, { recursive: true });
  execFileSync('git', ['init', '--quiet', workspace]);
  const installed = cadre.find({ repository, peers: '' });
  if (!installed) throw new Error('dist/cadre is not there: npm run build');
  const launch = installed.prepare({ home: findHome(name), baseUrl: provider.baseUrl });
  launch.environment.HOME = findHome(name);
  return { name, installed, launch, workspace };
}

function row(title: string, ms: number, atMost?: number): Row {
  const goal =
    atMost === undefined
      ? ({ kind: 'limit', atMost: Number.POSITIVE_INFINITY, text: '' } as const)
      : ({ kind: 'limit', atMost, text: `<= ${atMost} ms` } as const);
  return { title, unit: 'ms', figures: { cadre: Math.round(ms * 10) / 10 }, goal };
}

function save(rows: Row[]): void {
  const path = join(import.meta.dirname, 'baselines.json');
  const kept = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  const definitions = Object.fromEntries(rows.map(({ title, figures }) => [title, figures.cadre]));
  writeFileSync(path, `${JSON.stringify({ ...kept, definitions }, null, 2)}\n`);
}
