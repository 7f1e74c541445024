import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentWorktrees, agentWorktrees } from '../agents/worktrees.ts';
import type { ShellSandbox } from '../protocol/index.ts';
import type { LoadedSettings } from '../settings/load.ts';
import type { FillOptions } from '../workspace/worktree-fill.ts';
import type { WorktreeWorld } from '../workspace/worktree-repository.ts';
import type { Settled } from './settled.ts';
import type { Surroundings } from './surroundings.ts';

/** The worktrees of this session's agents. Nothing is looked at before the first one is made. */
export function createWorktrees(
  { identity, around, settings }: Settled,
  sandbox: ShellSandbox | undefined,
): AgentWorktrees {
  return agentWorktrees({
    world: worktreeWorld(around),
    session: identity.id,
    fill: () => fillOptions(settings, sandbox),
  });
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

/** Clears up what processes left behind that are gone; says what holds work. Costs nothing where there is none. */
export async function sweepDeadWorktrees(around: Surroundings): Promise<string[]> {
  if (!existsSync(join(around.home, 'worktrees'))) return [];
  const { sweepWorktrees } = await import('../workspace/worktree-sweep.ts');
  const swept = await sweepWorktrees(worktreeWorld(around));
  return swept.flatMap(({ record, end, reason }) => {
    if (end === 'kept')
      return [`The worktree ${record.path} was left behind with work in it; cadre worktree list shows it.`];
    return end === 'failed' ? [`The worktree ${record.path} could not be cleared up: ${reason}`] : [];
  });
}
