/** Cadre and every installed peer against one fake provider, rounds interleaved, one table of medians. */
import { parseArgs } from 'node:util';
import { measureGaps, measureMemory, measureStart, type Runner } from './measure.ts';
import { type Provider, startProvider } from './provider.ts';
import { closeGround, openGround, prepareRunners, turnsPerRun, versions } from './runners.ts';
import { saveFigures } from './save.ts';
import { median, type Row, renderTable } from './table.ts';

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '10' },
    only: { type: 'string', multiple: true },
    before: { type: 'string' },
    save: { type: 'boolean', default: false },
  },
});

const provider = await startProvider();
const ground = openGround();
try {
  const runners = prepareRunners(provider.baseUrl, ground, flags.only, flags.before);
  const rows = await measureAll(runners, provider, Number(flags.rounds));
  console.log(renderTable(rows, Object.keys(versions(runners))));
  if (flags.save) saveFigures(rows, versions(runners));
} finally {
  provider.stop();
  closeGround(ground);
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
