import { isThere } from '../../lib/files/small-files.ts';
import type { Locality } from '../../lib/machine.ts';
import { ownerVariable } from '../../lib/processes/sweep.ts';
import { failure, ok, type Result } from '../../lib/result.ts';
import { locateTeam, locateTeams } from '../team-place.ts';
import { commandBackend, type TeammateCommands } from './command.ts';
import { readTmuxPlace } from './detect.ts';
import {
  type ExecutorType,
  executorTypes,
  formatAddress,
  type Reconciled,
  type WantedMember,
} from './executor.ts';
import { itermBackend } from './iterm2.ts';
import type { PaneBackend, SeenPane } from './pane-backend.ts';
import { endPane, isRunning } from './pane-life.ts';
import { identifyHome, parsePaneMark } from './pane-mark.ts';
import { formatMark, type ProcessWorld } from './pane-process.ts';
import { listAllPaneRecords, type PaneRecord, removePaneFiles, removeStrayFiles } from './pane-records.ts';
import { programRunner } from './run-program.ts';
import { tmuxBackend } from './tmux.ts';

export interface BackendWorld extends Pick<ProcessWorld, 'clock'> {
  environment: Readonly<Record<string, string | undefined>>;
  /** The absolute path of a program for our own use. */
  findProgram(name: 'tmux' | 'it2'): string | undefined;
  commands?: TeammateCommands | undefined;
  /** Name of the tmux server for teams outside tmux. */
  ownServer?: string;
}

/** The terminal behind one type of executor. */
export function openBackend(
  type: Exclude<ExecutorType, 'in-process'>,
  world: BackendWorld,
): Result<PaneBackend> {
  const { environment, ownServer } = world;
  const run = programRunner(world.clock);
  const file = type === 'command' ? undefined : world.findProgram(type === 'tmux' ? 'tmux' : 'it2');
  switch (type) {
    case 'tmux': {
      if (file === undefined) return failure('tmux is not installed.', 'Install it, and try again.');
      const inside = readTmuxPlace(environment);
      const env = pickEnvironment(environment);
      return ok(tmuxBackend({ file, run, env, inside, ...(ownServer === undefined ? {} : { ownServer }) }));
    }
    case 'iterm2':
      if (file === undefined) return failure('it2 is not installed.', 'Install it: pip install it2');
      return ok(
        itermBackend({ file, run, env: pickAll(environment), session: environment.ITERM_SESSION_ID ?? '' }),
      );
    case 'command':
      return ok(commandBackend({ commands: world.commands ?? {}, run, env: pickAll(environment) }));
  }
}

/**
 * At every start, whatever teammates run in now: the panes of all terminals that earlier leaders used. A terminal that cannot
 * be reached any more is a problem in the result, not of the start. Without any team nothing is looked at.
 */
export async function reconcileTeammates(
  wanted: readonly WantedMember[],
  world: BackendWorld & ProcessWorld,
): Promise<Reconciled> {
  const all: Reconciled = { kept: [], closed: [], problems: [] };
  if (!isThere(locateTeams(world.home), world.machine.disk)) return all;
  removeStrayFiles(world.home, world.machine);
  for (const type of listUsedTypes(wanted, world)) {
    const backend = openBackend(type, world);
    if (!backend.ok) {
      all.problems.push(backend.problem.message);
      continue;
    }
    const done = await reconcilePanes(backend.value, wanted, world);
    for (const key of ['kept', 'closed', 'problems'] as const) all[key].push(...done[key]);
  }
  return all;
}

/** tmux wherever it is installed: it tells which panes are ours, also where their records are lost. */
function listUsedTypes(wanted: readonly WantedMember[], world: BackendWorld & ProcessWorld) {
  const used: ReadonlySet<string | undefined> = new Set([
    ...listAllPaneRecords(world.home, world.machine).map(({ executor }) => executor),
    ...wanted.map(({ pane }) => pane?.executor),
    ...(world.findProgram('tmux') === undefined ? [] : ['tmux']),
  ]);
  return executorTypes.filter((type) => type !== 'in-process').filter((type) => used.has(type));
}

/**
 * For tmux, whose server keeps the environment of the process that started it and gives it to every pane: what finds programs
 * and the terminal, and nothing that may be a secret.
 */
function pickEnvironment(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const all = pickAll(environment);
  return Object.fromEntries(Object.entries(all).filter(([name]) => plainVariable.test(name)));
}

const plainVariable =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|TERM|COLORTERM|LANG|LC_\w+|TZ|TMUX_TMPDIR|TMPDIR|XDG_\w+)$/;

/** Our mark of ownership would make terminals that outlive us look like leftovers. */
function pickAll(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value === undefined || name === ownerVariable ? [] : [[name, value] as const],
    ),
  );
}

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
  const done: Reconciled = { kept: [], closed: [], problems: [] };
  // Seen before the records are read: a process that opens a pane writes its record first, so all that are seen have one.
  const seen = await backend.list();
  const all = listAllPaneRecords(world.home, world.machine);
  for (const record of all.filter(({ executor }) => executor === backend.type))
    await reconcileRecord(record, wanted, { backend, world, done });
  // Of all executors: the commands of `command` may drive this very terminal.
  if (seen.ok) await closeUnknown(seen.value, all, { backend, world, done });
  else done.problems.push(seen.problem.message);
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
