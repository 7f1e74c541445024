import type { Locality } from '../../lib/machine.ts';
import { locateTeam } from '../team-place.ts';
import { formatAddress, type Reconciled, type WantedMember } from './executor.ts';
import type { PaneBackend, SeenPane } from './pane-backend.ts';
import { endPane, isRunning } from './pane-life.ts';
import { identifyHome, parsePaneMark } from './pane-mark.ts';
import { formatMark, type ProcessWorld } from './pane-process.ts';
import { listAllPaneRecords, type PaneRecord, removePaneFiles } from './pane-records.ts';

/**
 * Brings the panes of one terminal in line with the members that should run, at every start: a pane that no team knows is
 * closed, and so is one whose process died. `wanted` are the members of all teams of this home. A pane without our mark is
 * never touched, nor one whose opener is alive: that process looks after it.
 *
 * A leader writes a member's record before it opens the pane, so that another start in between leaves the pane alone.
 */
export async function reconcilePanes(
  backend: PaneBackend,
  wanted: readonly WantedMember[],
  world: ProcessWorld,
): Promise<Reconciled> {
  const done: Reconciled = { kept: [], closed: [], missing: [], problems: [] };
  // Seen before the records are read: whoever opens a pane writes its record first, so all that are seen have one.
  const seen = await backend.list();
  const all = listAllPaneRecords(world.home, world.machine);
  for (const record of all.filter(({ executor }) => executor === backend.type))
    await reconcileRecord(record, wanted, { backend, world, done });
  // Of all executors: the commands of `command` may drive this very terminal.
  if (seen.ok) await closeUnknown(seen.value, all, { backend, world, done });
  else done.problems.push(seen.problem.message);
  done.missing = wanted
    .filter(({ pane }) => pane?.executor === backend.type)
    .map(formatAddress)
    .filter((address) => !done.kept.includes(address));
  return done;
}

interface Work {
  backend: PaneBackend;
  world: ProcessWorld;
  done: Reconciled;
}

async function reconcileRecord(
  record: PaneRecord,
  wanted: readonly WantedMember[],
  { backend, world, done }: Work,
): Promise<void> {
  const { machine } = world;
  const where = compareLocality(record.opener, machine.locality());
  if (where === 'elsewhere') return;
  if (where === 'before the restart') {
    removePaneFiles(locateTeam(world.home, record.team), record.token, machine);
    return;
  }
  const isOthers = machine.isAlive(record.opener) && record.opener.pid !== machine.self().pid;
  const isWanted = wanted.some(
    (member) =>
      member.name === record.name &&
      member.team === record.team &&
      (member.kind === undefined || member.kind === 'pane') &&
      (member.pane === undefined || record.id === null || member.pane.id === record.id),
  );
  const address = formatAddress(record);
  const keep = isOthers || (isWanted && (await isRunning(record, backend, world)));
  if (keep) {
    done.kept.push(address);
    return;
  }
  const ended = await endPane(record, backend, world);
  if (ended.ok) done.closed.push(address);
  else done.problems.push(ended.problem.message);
}

/** Marked panes of this home without a record: somebody removed the files of their team. */
async function closeUnknown(
  seen: readonly SeenPane[],
  records: readonly PaneRecord[],
  { backend, world, done }: Work,
): Promise<void> {
  const known = new Set(records.map((record) => formatMark(record, world.home)));
  for (const { id, mark } of seen) {
    const parsed = mark === undefined ? undefined : parsePaneMark(mark);
    if (mark === undefined || parsed?.home !== identifyHome(world.home) || known.has(mark)) continue;
    const closed = await backend.close(id);
    if (closed.ok) done.closed.push(formatAddress(parsed));
    else done.problems.push(closed.problem.message);
  }
}

/** Processes and panes mean something on one machine, in one space of process ids, until it is restarted. */
function compareLocality(then: Locality, now: Locality): 'here' | 'before the restart' | 'elsewhere' {
  if (then.space === now.space) return 'here';
  const [bootThen, bootNow] = [then.space.split(' ')[0], now.space.split(' ')[0]];
  return then.host === now.host && bootThen !== bootNow ? 'before the restart' : 'elsewhere';
}
