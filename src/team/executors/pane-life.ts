import { isThere } from '../../lib/files/small-files.ts';
import { failure, ok, type Result } from '../../lib/result.ts';
import { locateTeam } from '../team-place.ts';
import { type ExecutedMember, formatAddress } from './executor.ts';
import type { PaneBackend, SeenPane } from './pane-backend.ts';
import {
  endPaneProcesses,
  findPaneProcesses,
  formatMark,
  isPaneProcessAlive,
  type ProcessWorld,
} from './pane-process.ts';
import { listPaneRecords, locatePaneFiles, type PaneRecord, removePaneFiles } from './pane-records.ts';

/** The pane of a member: the one that its record names, else the latest. */
export function findRecord(
  { name, team, pane }: ExecutedMember,
  { type }: PaneBackend,
  { home, machine }: ProcessWorld,
): PaneRecord | undefined {
  return listPaneRecords(locateTeam(home, team), machine).find(
    (record) =>
      record.name === name && record.executor === type && (pane === undefined || record.id === pane.id),
  );
}

/** The id of its pane, where that is still the pane that was opened. Ids are used again, and other panes are not ours. */
export async function findOwnPane(
  record: PaneRecord,
  backend: PaneBackend,
  world: ProcessWorld,
): Promise<string | undefined> {
  return (await seeOwnPane(record, backend, world))?.id;
}

async function seeOwnPane(
  record: PaneRecord,
  backend: PaneBackend,
  world: ProcessWorld,
): Promise<SeenPane | undefined> {
  const mark = formatMark(record, world.home);
  if (record.id === null) {
    const listed = await backend.list();
    return listed.ok ? listed.value.find((pane) => pane.mark === mark) : undefined;
  }
  const found = await backend.find(record.id);
  if (!found.ok || !found.value) return undefined;
  const isOurs = {
    mark: () => found.value?.mark === mark,
    id: () => true,
    process: () => isAwaited(record, world) || isPaneProcessAlive(record, world),
  }[backend.recognisedBy];
  return isOurs() ? found.value : undefined;
}

export async function isRunning(
  record: PaneRecord,
  backend: PaneBackend,
  world: ProcessWorld,
): Promise<boolean> {
  if (isPaneProcessAlive(record, world)) return true;
  // A pane that was just opened may not have started its process.
  if (!isAwaited(record, world)) return false;
  const pane = await seeOwnPane(record, backend, world);
  return pane !== undefined && pane.isDead !== true;
}

/** A shell that cannot start the program keeps the pane, and nothing else says so. */
const maxStartMs = 60_000;

/** Nothing has read its launch file yet, and the process that opened it is there to wait for that. */
function isAwaited(record: PaneRecord, { home, machine, clock }: ProcessWorld): boolean {
  const { team, token, opener, openedAt } = record;
  if (clock.now() - Date.parse(openedAt) > maxStartMs) return false;
  const { launch } = locatePaneFiles(locateTeam(home, team), token);
  return (
    opener.space === machine.locality().space && machine.isAlive(opener) && isThere(launch, machine.disk)
  );
}

/** Closes the pane, ends what ran in it and removes its files. The files stay while anything of it is left. */
export async function endPane(
  record: PaneRecord,
  backend: PaneBackend,
  world: ProcessWorld,
): Promise<Result<void>> {
  const processes = findPaneProcesses(record, world);
  const id = await findOwnPane(record, backend, world);
  const closed = id === undefined ? undefined : await backend.close(id);
  const isOver = await endPaneProcesses(record, processes, world, closed?.ok === true);
  if (!isOver)
    return failure(
      `Process ${processes.map(({ pid }) => pid).join(', ')} of ${formatAddress(record)} cannot be ended.`,
      'End it yourself, and start Cadre again.',
    );
  // Where the process ended its pane is gone with it, also if closing it failed.
  if (closed && !closed.ok && processes.length === 0) return closed;
  removePaneFiles(locateTeam(world.home, record.team), record.token, world.machine);
  return ok(undefined);
}
