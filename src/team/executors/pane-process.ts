import { type Clock, sleep } from '../../lib/clock.ts';
import type { Machine } from '../../lib/machine.ts';
import type { ProcessMark } from '../../lib/processes/mark.ts';
import { processMark } from '../../lib/processes/mark.ts';
import { signalQuietly, sweepMarked } from '../../lib/processes/process.ts';
import { findWithVariable } from '../../lib/processes/sweep.ts';
import { locateTeam } from '../team-place.ts';
import { formatPaneMark, identifyHome, paneVariable } from './pane-mark.ts';
import { type PaneRecord, readPaneProcess } from './pane-records.ts';

export interface ProcessWorld {
  readonly home: string;
  readonly machine: Machine;
  readonly clock: Clock;
  /** Between the end of its terminal and SIGKILL. */
  readonly graceMs?: number;
}

const usualGraceMs = 3000;
const killMs = 2000;
const betweenLooksMs = 20;

/** Whether the process of a pane is alive: the one that read the launch file, or that the terminal named. */
export function isPaneProcessAlive(record: PaneRecord, world: ProcessWorld): boolean {
  const noted = listNoted(record, world);
  if (noted.length > 0) return noted.some((mark) => world.machine.isAlive(mark));
  // Nothing is known of it yet. Later the mark alone says little: programs that it started inherit it.
  return findPaneProcesses(record, world).length > 0;
}

/** All living processes of a pane: that one, and those with its mark. */
export function findPaneProcesses(record: PaneRecord, world: ProcessWorld): ProcessMark[] {
  const { home, machine } = world;
  const living = listNoted(record, world).filter((mark) => machine.isAlive(mark));
  const mark = formatMark(record, home);
  const marked = findWithVariable(paneVariable, (value) => value === mark)
    .filter((pid) => !living.some((mark) => mark.pid === pid))
    .map(processMark);
  return [...living, ...marked];
}

function listNoted(record: PaneRecord, { home, machine }: ProcessWorld): ProcessMark[] {
  const noted = readPaneProcess(locateTeam(home, record.team), record.token, machine);
  return [record.process, noted].filter((mark) => mark !== undefined);
}

export function formatMark({ team, name, token }: PaneRecord, home: string): string {
  return formatPaneMark({ home: identifyHome(home), team, name, token });
}

/**
 * Ends the processes of a pane: they get the time to give back what they hold, then they are killed, and with them what they
 * had started. True when none is left.
 */
export async function endPaneProcesses(
  record: PaneRecord,
  found: readonly ProcessMark[],
  world: ProcessWorld,
  /** The terminal has told them. Told twice, they would end without giving anything back. */
  isHungUp: boolean,
): Promise<boolean> {
  if (found.length === 0) return true;
  if (!isHungUp) for (const { pid } of found) signalQuietly(pid, 'SIGTERM');
  const isOver = await waitForEnd(found, world.graceMs ?? usualGraceMs, world);
  for (const mark of found) if (world.machine.isAlive(mark)) signalQuietly(mark.pid, 'SIGKILL');
  // A session that was killed, or crashed at its end, leaves its commands: they carry its id.
  sweepMarked(record.sessionId);
  return isOver || waitForEnd(found, killMs, world);
}

async function waitForEnd(
  found: readonly ProcessMark[],
  limitMs: number,
  { machine, clock }: ProcessWorld,
): Promise<boolean> {
  const until = clock.monotonic() + limitMs;
  for (;;) {
    if (!found.some((mark) => machine.isAlive(mark))) return true;
    if (clock.monotonic() >= until) return false;
    await sleep(clock, betweenLooksMs);
  }
}
