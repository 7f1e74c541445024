import { spawn } from 'node:child_process';
import { testSeconds } from './test-seconds.data.ts';

const filesPerBatch = 8;
/** Of a file that is not among the longest. */
const usualSeconds = 2;
/** A batch that takes longer than this would be waited for at the end. */
const secondsPerBatch = 24;

/**
 * The longest batch first, so that no lane waits for one at the end. The same files make the same batches, whatever order
 * they are found in.
 */
export function makeBatches(
  files: readonly string[],
  seconds: Readonly<Record<string, number>> = testSeconds,
): string[][] {
  const secondsOf = (file: string) => seconds[file] ?? usualSeconds;
  const inOrder = [...files].sort((a, b) => secondsOf(b) - secondsOf(a) || (a < b ? -1 : 1));
  const batches: { files: string[]; seconds: number }[] = [];
  for (const file of inOrder) {
    const last = batches.at(-1);
    const fits =
      last && last.files.length < filesPerBatch && last.seconds + secondsOf(file) <= secondsPerBatch;
    const batch = fits ? last : { files: [], seconds: 0 };
    if (!fits) batches.push(batch);
    batch.files.push(file);
    batch.seconds += secondsOf(file);
  }
  return batches.sort((a, b) => b.seconds - a.seconds).map((batch) => batch.files);
}

export interface Lanes {
  /** The program that gets the files of a batch as its last arguments. */
  command: readonly string[];
  cwd: string;
  /** How many batches run at a time. */
  lanes: number;
  write(text: string): void;
}

/** Runs all batches and prints one summary in Bun's own form. Returns the exit code: 0 when everything passed. */
export async function runBatches(batches: readonly string[][], options: Lanes): Promise<number> {
  const start = performance.now();
  const waiting = [...batches];
  const ended: Ended[] = [];
  const runLane = async () => {
    for (let batch = waiting.shift(); batch; batch = waiting.shift()) {
      const end = await runBatch(batch, options);
      // In one piece, so that the output of two batches does not mix.
      options.write(end.output);
      ended.push(end);
    }
  };
  await Promise.all(Array.from({ length: options.lanes }, runLane));
  const total = sum(ended.map(({ counts }) => counts));
  const seconds = ((performance.now() - start) / 1000).toFixed(2);
  options.write(
    [
      '',
      ...ended.flatMap(listFailures),
      '',
      ...kinds.map((kind) => ` ${total[kind]} ${kind}`),
      `Ran ${batches.flat().length} files in ${batches.length} batches. [${seconds}s]`,
      '',
    ].join('\n'),
  );
  return total.fail === 0 && total.pass > 0 ? 0 : 1;
}

const kinds = ['pass', 'skip', 'todo', 'fail'] as const;

type Counts = Record<(typeof kinds)[number], number>;

interface Ended {
  output: string;
  counts: Counts;
  /** Why a batch failed that has no failed test. */
  broken?: string;
}

async function runBatch(batch: readonly string[], { command, cwd }: Lanes): Promise<Ended> {
  const [program = '', ...args] = [...command, ...batch];
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const stop = () => child.kill();
  process.once('exit', stop);
  let output = '';
  let report = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk;
  });
  // Bun reports there; what tests print is in the other stream, for the most part.
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk;
    report += chunk;
  });
  const end = await new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(signal ?? `code ${code}`));
  });
  process.off('exit', stop);
  const counts = readCounts(report);
  // A process that crashes, or that reports no test at all, has failed whatever it printed before.
  const isBroken = counts.fail === 0 && (end !== 'code 0' || sumOf(counts) === 0);
  if (!isBroken) return { output, counts };
  return { output, counts: { ...counts, fail: 1 }, broken: `bun test ended with ${end}: ${batch.join(' ')}` };
}

/** From Bun's summary, one line each: ` 12 pass`. The last one counts, since tests print too. */
function readCounts(report: string): Counts {
  const counts: Counts = { pass: 0, skip: 0, todo: 0, fail: 0 };
  const plain = report.replace(/\x1b\[[0-9;]*m/g, '');
  for (const kind of kinds)
    counts[kind] = Number([...plain.matchAll(new RegExp(`^ *(\\d+) ${kind}$`, 'gm'))].at(-1)?.[1] ?? 0);
  return counts;
}

function sum(all: readonly Counts[]): Counts {
  const total: Counts = { pass: 0, skip: 0, todo: 0, fail: 0 };
  for (const counts of all) for (const kind of kinds) total[kind] += counts[kind];
  return total;
}

function sumOf(counts: Counts): number {
  return kinds.reduce((total, kind) => total + counts[kind], 0);
}

/** Again at the end, since they are far above by then. */
function listFailures({ output, broken }: Ended): string[] {
  // Bun repeats them itself where there are many.
  const failures = [
    ...new Set(output.split('\n').filter((line) => /^(?:\x1b\[[0-9;]*m)*\(fail\)|✗/.test(line))),
  ];
  return broken === undefined ? failures : [...failures, `(fail) ${broken}`];
}
