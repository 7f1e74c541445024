import { readFileSync, writeSync } from 'node:fs';

/** A session needs some threads and a process for each command; below this the runtime itself ends in the middle of anything. */
const minProcesses = 16;

/**
 * Refuses to start where the user may have hardly any processes (`ulimit -u 5`). The runtime would abort, with its own
 * report, as soon as a thread cannot be started; so this comes before everything else is loaded, and loads nothing itself.
 */
export function refuseFewProcesses(): number | undefined {
  const allowed = readLimit();
  if (allowed === undefined || allowed >= minProcesses || process.getuid?.() === 0) return undefined;
  writeSync(
    2,
    `cadre: Only ${allowed} processes are allowed here, and cadre needs at least ${minProcesses}.\nRaise the limit: ulimit -u\n`,
  );
  return 2;
}

/** The number of processes and threads that the user may have; undefined if there is no limit, or none that can be read. */
function readLimit(): number | undefined {
  try {
    const [, soft] = /^Max processes\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}
