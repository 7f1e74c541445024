import { ownerVariable } from '../../lib/processes/process.ts';
import type { Rule, ShellSandbox } from '../../protocol/index.ts';
import type { LoadedSettings } from '../../settings/load.ts';
import { createFilterTrust } from '../../settings/trust/filter-pieces.ts';
import { pickEnvironment } from '../../tools/bash/pick-environment.ts';
import { confineFilters } from '../../workspace/git/confine-filters.ts';
import { startPlainly } from '../../workspace/git/filter-start.ts';
import type { WorktreeWorld } from '../../workspace/worktrees/repository.ts';
import type { Kernel } from '../kernel.ts';
import { checkNotLost } from '../owner.ts';
import type { LeadPermissions } from '../permissions.ts';
import { allowedVariables, type Surroundings } from '../surroundings.ts';

export interface WorldFilters {
  settings: LoadedSettings;
  sandbox: ShellSandbox | undefined;
  rules(): readonly Rule[];
  /** The run trusts whatever the repository asks for. */
  everything?: boolean | undefined;
}

/** Without `filters` git runs none: before there is a sandbox, it is only looked for what a crash left. */
export function worktreeWorld(
  { home, environment, outside }: Surroundings,
  filters?: WorldFilters,
): WorktreeWorld {
  const world = { home, env: { ...environment }, clock: outside.clock };
  if (!filters) return world;
  const { settings, sandbox, rules, everything = false } = filters;
  const pick = (env: Readonly<Record<string, string>>) =>
    pickEnvironment(env, allowedVariables(settings)).variables;
  return {
    ...world,
    trustsFilter: createFilterTrust({ home, everything }),
    startFilters: sandbox ? confineFilters({ sandbox, home, rules, pick }) : startPlainly,
  };
}

/** That of a session. */
export function sessionWorld(
  { id, place, settings, options, claim }: Kernel,
  permissions: LeadPermissions,
  sandbox: ShellSandbox | undefined,
): WorktreeWorld {
  const rules = () => permissions.listRules(null);
  const world = worktreeWorld(place, { settings, sandbox, rules, everything: options.trust });
  // With the session's mark, no git is started once another process has the session.
  return { ...world, env: { ...world.env, [ownerVariable]: id }, check: () => checkNotLost(claim) };
}
