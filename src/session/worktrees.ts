import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentWorktrees, agentWorktrees } from '../agents/worktrees.ts';
import type { Ground } from '../landing/types.ts';
import { clearDeadLock } from '../lib/file-lock.ts';
import { ok, type Result } from '../lib/result.ts';
import type { ShellSandbox, WorkingDirectory } from '../protocol/index.ts';
import type { LoadedSettings } from '../settings/load.ts';
import { isWithin } from '../workspace/paths.ts';
import { realPathOf } from '../workspace/real-path.ts';
import type { WorktreeStart } from '../workspace/worktree-create.ts';
import type { FillOptions } from '../workspace/worktree-fill.ts';
import type { WorktreeWorld } from '../workspace/worktree-repository.ts';
import { actOnTape, worktreesOnTape } from './on-tape.ts';
import type { Settled } from './settled.ts';
import type { Surroundings } from './surroundings.ts';
import { createWorktreeDesk, type SessionWorktree } from './worktree-desk.ts';

/** The worktrees of this session's agents. Nothing is looked at before the first one is made. */
export function createWorktrees(
  { identity, around, settings, reel }: Settled,
  sandbox: ShellSandbox | undefined,
): AgentWorktrees {
  const worktrees = agentWorktrees({
    world: worktreeWorld(around),
    session: identity.id,
    start: startOf(settings),
    fill: () => fillOptions(settings, sandbox),
  });
  return reel ? worktreesOnTape(actOnTape(reel), worktrees) : worktrees;
}

/** `fresh` is what was last fetched: nothing is fetched for it. */
export function startOf({ worktree: { baseRef = 'head', uncommitted } }: LoadedSettings): WorktreeStart {
  const from = baseRef === 'fresh' ? 'refs/remotes/origin/HEAD' : baseRef;
  return { ...(baseRef === 'head' ? {} : { from }), ...(uncommitted === undefined ? {} : { uncommitted }) };
}

export function worktreeWorld({ home, environment, outside }: Surroundings): WorktreeWorld {
  return { home, env: { ...environment }, clock: outside.clock };
}

/** What is linked must be read-only for whoever works there: so it is linked only where commands are confined. */
export async function fillOptions(
  { worktree }: LoadedSettings,
  sandbox: ShellSandbox | undefined,
): Promise<FillOptions> {
  return {
    copyDirectories: worktree.copyDirectories,
    linkDirectories: worktree.symlinkDirectories,
    sandboxed: (await sandbox?.ready()) !== undefined,
  };
}

/** Where the lead's own worktree is entered and left. */
export function createDesk(
  { identity, around, settings, permissions, worktree, reel }: Settled,
  directory: WorkingDirectory,
  sandbox: ShellSandbox | undefined,
): SessionWorktree {
  const options = {
    ...{
      world: worktreeWorld(around),
      session: identity.id,
      directory,
      permissions,
      start: startOf(settings),
    },
    fill: () => fillOptions(settings, sandbox),
    token: () => around.outside.ids.token(6).toLowerCase(),
    act: actOnTape(reel),
  };
  return createWorktreeDesk(options, worktree);
}

/** Where the work of agents is landed from. */
export async function landingGround(
  { around, settings, permissions }: Settled,
  sandbox: ShellSandbox | undefined,
  env: Record<string, string>,
  cwd: string,
): Promise<Result<Ground>> {
  const { findRepository } = await import('../workspace/worktree-repository.ts');
  const world = worktreeWorld(around);
  const repository = await findRepository(cwd, world);
  if (!repository.ok) return repository;
  const { gate } = settings.worktree;
  const { shellGate } = await import('../landing/gate.ts');
  const rules = permissions.rulesFor(null);
  return ok({
    ...{ repository: repository.value, world, fill: await fillOptions(settings, sandbox) },
    ...(gate === undefined
      ? {}
      : { gate: shellGate({ command: gate, env, clock: world.clock, sandbox, rules }) }),
  });
}

/** Clears up what processes left behind that are gone; says what holds work. Costs nothing where there is none. */
export async function sweepDeadWorktrees(around: Surroundings): Promise<string[]> {
  const recovered = existsSync(join(around.home, 'landing')) ? await recover(around) : [];
  if (existsSync(join(around.home, 'looks'))) {
    const { clearDeadDirectories } = await import('../workspace/own-directory.ts');
    clearDeadDirectories(around.home);
  }
  if (!existsSync(join(around.home, 'worktrees'))) return recovered;
  const { sweepWorktrees } = await import('../workspace/worktree-sweep.ts');
  const { listRecords } = await import('../workspace/worktree-record.ts');
  const commons = new Set(listRecords(around.home).map(({ common }) => common));
  for (const common of commons) clearDeadLock(join(common, 'cadre-landing.lock'));
  const swept = await sweepWorktrees(worktreeWorld(around));
  const left = swept.flatMap(({ record, end, reason }) => {
    if (end === 'kept')
      return [`The worktree ${record.path} was left behind with work in it; cadre worktree list shows it.`];
    return end === 'failed' ? [`The worktree ${record.path} could not be cleared up: ${reason}`] : [];
  });
  return [...recovered, ...left];
}

async function recover(around: Surroundings): Promise<string[]> {
  const { recoverLandings } = await import('../landing/recover.ts');
  return recoverLandings(worktreeWorld(around));
}

export interface WorktreeExamination {
  kept: number;
  /** Those that a dead process left behind. */
  dead: string[];
  /** Where our records and git say different things. */
  odd: string[];
  /** Checkouts on which a landing was cut off and not yet finished. */
  cutOff: string[];
}

/** Looks only. */
export async function examineWorktrees(around: Surroundings): Promise<WorktreeExamination> {
  const { listRecords, isInUse } = await import('../workspace/worktree-record.ts');
  const { findAdministration } = await import('../workspace/worktree-repository.ts');
  const records = listRecords(around.home);
  const dead = records.filter((record) => record.owner !== null && !isInUse(record));
  const odd = records
    .filter((record) => !dead.includes(record) && record.state === 'ready')
    .filter(({ common, path }) => findAdministration(common, path) === undefined)
    .map(({ path }) => `${path} (git does not know it)`);
  const unknown = (await treesOf(around.cwd))
    .filter((path) => !records.some((record) => record.path === path))
    .map((path) => `${path} (git knows it, and there is no record of it: git worktree remove)`);
  return {
    kept: records.length - dead.length,
    dead: dead.map(({ path }) => path),
    odd: [...odd, ...unknown],
    cutOff: await cutOffLandings(around.home),
  };
}

async function cutOffLandings(home: string): Promise<string[]> {
  const { listJournals, readJournal } = await import('../landing/journal.ts');
  const { isSameProcess } = await import('../lib/process-mark.ts');
  return listJournals(home).flatMap((path) => {
    const journal = readJournal(path);
    if (!journal) return [`${path} (cannot be read)`];
    return isSameProcess(journal.owner)
      ? []
      : [`${journal.top} (a landing on ${journal.branch} was cut off)`];
  });
}

/** The worktrees that git knows where ours stand, in the repository around a directory. */
async function treesOf(cwd: string): Promise<string[]> {
  const { findRoot } = await import('../workspace/workspace.ts');
  const { findMainRoot } = await import('../workspace/main-root.ts');
  const { administered } = await import('../workspace/worktree-repository.ts');
  const root = findRoot(cwd);
  if (root === undefined) return [];
  const main = realPathOf(findMainRoot(root));
  return administered(join(main, '.git')).filter((path) => isWithin(path, join(main, '.cadre', 'worktrees')));
}
