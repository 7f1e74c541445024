import { readFileSync, writeSync } from 'node:fs';

/** A session needs some threads and a process for each command; below this the runtime itself ends in the middle of anything. */
const minProcesses = 16;
/** Below this a command's sandbox cannot be set up, and below a dozen the runtime ends without a word. */
const minFiles = 64;

/**
 * Refuses to start where the user may have hardly any processes or open files (`ulimit -u 5`, `ulimit -n 16`). The runtime
 * would end with its own report, or with none, so this comes before everything else is loaded, and loads nothing itself.
 */
export function refuseLowLimits(): number | undefined {
  const limits = readLimits();
  const isLimited = process.getuid?.() !== 0;
  const problem =
    (isLimited ? describe(limits, 'Max processes', 'processes are', '-u', minProcesses) : undefined) ??
    describe(limits, 'Max open files', 'open files are', '-n', minFiles);
  if (problem === undefined) return undefined;
  writeSync(2, problem);
  return 2;
}

function describe(
  limits: string,
  row: string,
  what: string,
  flag: string,
  least: number,
): string | undefined {
  const [, soft] = new RegExp(`^${row}\\s+(\\d+)`, 'm').exec(limits) ?? [];
  if (soft === undefined || Number(soft) >= least) return undefined;
  return `cadre: Only ${soft} ${what} allowed here, and cadre needs at least ${least}.\nRaise the limit: ulimit ${flag}\n`;
}

/** Of this process, as a table; empty if it cannot be read. */
function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}
