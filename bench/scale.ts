/**
 * P2: does cost grow with work, or with its square? Runs 10, 100 and 1,000 scripted sessions side by side in one
 * process each, and prints what one more session and one more turn cost.
 *
 *   npm run bench:scale
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { ScaleFigures } from './scale-run.ts';

const sizes = [10, 100, 1_000];
const rounds = 1;

const rows = sizes.map((size) => median(Array.from({ length: rounds }, () => runOnce(size))));
const base = rows[1];
console.log('sessions   all done   memory each, KB   CPU a turn, ms   delay p95, ms');
for (const row of rows)
  console.log(
    [
      String(row.sessions).padStart(8),
      String(row.completed).padStart(10),
      row.kilobytesEach.toFixed(0).padStart(17),
      row.cpuMsPerTurn.toFixed(3).padStart(16),
      row.delayMsP95.toFixed(1).padStart(15),
    ].join(''),
  );
const last = rows[2];
if (base && last) {
  const memory = last.kilobytesEach / base.kilobytesEach;
  const cpu = last.cpuMsPerTurn / base.cpuMsPerTurn;
  console.log(`1,000 against 100: memory ${memory.toFixed(2)}, CPU ${cpu.toFixed(2)} (promised: within 1.2)`);
}

function runOnce(size: number): ScaleFigures {
  const child = spawnSync(process.execPath, [join(import.meta.dirname, 'scale-run.ts'), String(size)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(child.stdout);
}

function median(all: ScaleFigures[]): ScaleFigures {
  const sorted = all.toSorted((a, b) => a.cpuMsPerTurn - b.cpuMsPerTurn);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (!middle) throw new Error('no rounds');
  const kilobytes = all.map((one) => one.kilobytesEach).toSorted((a, b) => a - b)[Math.floor(all.length / 2)];
  return { ...middle, kilobytesEach: kilobytes ?? middle.kilobytesEach };
}
