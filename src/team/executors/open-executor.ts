import { isThere } from '../../lib/files/small-files.ts';
import { ownerVariable } from '../../lib/processes/sweep.ts';
import { failure, ok, type Result } from '../../lib/result.ts';
import { locateTeams } from '../team-place.ts';
import { commandBackend, type TeammateCommands } from './command.ts';
import { readTmuxPlace } from './detect.ts';
import { type ExecutorType, executorTypes, type Reconciled, type WantedMember } from './executor.ts';
import { itermBackend } from './iterm2.ts';
import type { PaneBackend } from './pane-backend.ts';
import type { ProcessWorld } from './pane-process.ts';
import { listAllPaneRecords, removeStrayFiles } from './pane-records.ts';
import { reconcilePanes } from './reconcile.ts';
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
  const all: Reconciled = { kept: [], closed: [], missing: [], problems: [] };
  if (!isThere(locateTeams(world.home), world.machine.disk)) return all;
  removeStrayFiles(world.home, world.machine);
  for (const type of listUsedTypes(wanted, world)) {
    const backend = openBackend(type, world);
    if (!backend.ok) {
      all.problems.push(backend.problem.message);
      continue;
    }
    const done = await reconcilePanes(backend.value, wanted, world);
    for (const key of ['kept', 'closed', 'missing', 'problems'] as const) all[key].push(...done[key]);
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
