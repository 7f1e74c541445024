import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { repository } from './runners.ts';
import type { Row } from './table.ts';

/** Into the baselines; the figures of other benches stay. */
export function saveFigures(rows: readonly Row[], measured: Record<string, string>): void {
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
  const before = JSON.parse(readFileSync(path, 'utf8')).figures;
  const all = { ...before, ...figures };
  const baseline = { commit, date: new Date().toISOString(), machine, versions: measured, figures: all };
  writeFileSync(path, `${JSON.stringify(baseline, null, 2)}\n`);
}
