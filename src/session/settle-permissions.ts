import { resolve } from 'node:path';
import { ok, type Result, usage } from '../lib/result.ts';
import { findUserHome } from '../lib/user-home.ts';
import { newPlanFile } from '../modes/plan-file.ts';
import { fullRole, openCeiling } from '../permissions/ceiling.ts';
import type { PermissionContext } from '../permissions/context.ts';
import { openRunsLater } from '../permissions/find-runs-later.ts';
import { Grants } from '../permissions/grants.ts';
import { lookAtFiles } from '../permissions/look-files.ts';
import type { Role } from '../permissions/types.ts';
import type { PermissionMode, Rule } from '../protocol/index.ts';
import type { LoadedSettings } from '../settings/load.ts';
import { parseRules } from '../settings/rules.ts';
import { shellDialect } from '../tools/shell-environment.ts';
import { openRealPaths, realPathOf } from '../workspace/real-path.ts';
import { settlePlaces } from '../workspace/settled-places.ts';
import type { SessionOptions } from './options.ts';
import type { Restored } from './restore.ts';
import { resumedPlanFile } from './resumed-mode.ts';
import type { Surroundings } from './surroundings.ts';
import { toolCeiling } from './tool-pool.ts';

interface Fixed extends Pick<PermissionContext, 'workspace' | 'role' | 'ceiling'> {
  bypassAllowed: boolean;
  bypassDisabled: boolean;
  autoDisabled: boolean;
  /** Whether somebody judges in `auto` mode. */
  hasJudge: boolean;
  /** Names the file that a plan is written to. */
  newPlanFile(): string;
}

/** The lead's permissions; changed only by the user's commands and answers. */
export class LeadPermissions {
  /** What was granted since the start, to the lead and to others. */
  readonly grants = new Grants();
  #mode: PermissionMode;
  /** What plan mode was entered from. */
  #before: PermissionMode = 'default';
  #planFile: string | undefined;
  #isolated: ((context: PermissionContext) => PermissionContext) | undefined;
  readonly #settled = settlePlaces();

  constructor(
    private readonly fixed: Fixed,
    private readonly rules: readonly Rule[],
    mode: PermissionMode,
  ) {
    this.#mode = mode;
    this.#settled(fixed.workspace.directories);
  }

  /** As the user chose it. */
  get mode(): PermissionMode {
    return this.#mode;
  }

  get hasJudge(): boolean {
    return this.fixed.hasJudge;
  }

  get bypassAllowed(): boolean {
    return this.fixed.bypassAllowed && !this.fixed.bypassDisabled;
  }

  /** For any agent: what files and the command line say, what was granted to the session, and to it alone. */
  rulesFor(agentId: string | null): readonly Rule[] {
    return [...this.rules, ...this.grants.rulesFor(agentId)];
  }

  /** The one file that plan mode writes; the same one for as long as the session lives. */
  get planFile(): string {
    this.#planFile ??= this.fixed.newPlanFile();
    return this.#planFile;
  }

  /** The mode from before plan mode. */
  get modeBeforePlan(): PermissionMode {
    return this.#before;
  }

  /** As of now: a run asks again for every call. Without a judge, `auto` asks what `default` asks. */
  context(): PermissionContext {
    const { workspace, hasJudge } = this.fixed;
    const directories = this.#settled([...workspace.directories, ...this.grants.directories()]);
    const context: PermissionContext = {
      ceiling: this.fixed.ceiling,
      role: this.fixed.role,
      mode: this.#mode === 'auto' && !hasJudge ? 'default' : this.#mode,
      rules: this.rulesFor(null),
      workspace: {
        ...workspace,
        directories,
        ...(this.#mode === 'plan' ? { planFile: this.planFile } : {}),
      },
    };
    return this.#isolated?.(context) ?? context;
  }

  /** From here on the lead works in a worktree, or no longer does. */
  isolate(change: ((context: PermissionContext) => PermissionContext) | undefined): void {
    this.#isolated = change;
  }

  setMode(mode: PermissionMode): Result<void> {
    if (mode === 'bypassPermissions') {
      if (this.fixed.bypassDisabled) return usage(disabled);
      if (!this.fixed.bypassAllowed)
        return usage(
          'The session was not started with leave to skip permissions.',
          'Start it with --allow-dangerously-skip-permissions.',
        );
    }
    if (mode === 'auto' && this.fixed.autoDisabled) return usage(autoDisabled);
    if (mode === 'plan' && this.#mode !== 'plan') this.#before = this.#mode;
    this.#mode = mode;
    return ok(undefined);
  }
}

const disabled = 'Skipping permissions is disabled by settings (permissions.disableBypassPermissionsMode).';
const autoDisabled = 'Mode auto is disabled by settings (permissions.disableAutoMode).';

export function settlePermissions(
  options: SessionOptions,
  around: Surroundings,
  settings: LoadedSettings,
  restored: Restored | undefined,
  {
    readable,
    scratchpad,
    role = fullRole,
  }: { readable: string[]; scratchpad?: string | undefined; role?: Role | undefined },
): Result<LeadPermissions> {
  const given = rulesOfOptions(options, around);
  if (!given.ok) return given;
  const mode = options.permissionMode ?? settings.permissions.defaultMode ?? 'default';
  if (mode === 'bypassPermissions' && settings.permissions.disableBypassPermissionsMode)
    return usage(disabled);
  if (mode === 'auto' && settings.permissions.disableAutoMode) return usage(autoDisabled);
  const added = (options.additionalDirectories ?? []).map((path) => resolve(around.cwd, path));
  const directories = [...settings.permissions.additionalDirectories, ...added];
  const workspace = {
    cwd: around.cwd,
    directories,
    readable,
    ...(scratchpad === undefined ? {} : { scratchpad }),
    home: around.layout.home,
    userHome: around.userHome,
    homeOf: findUserHome,
    ...shellDialect(settings.env.PATH ?? around.environment.PATH ?? ''),
    realPath: realPathOf,
    openPaths: openRealPaths,
    runsLater: openRunsLater({ userHome: around.userHome, environment: around.environment }),
    look: lookAtFiles([around.cwd, ...directories], undefined, around.environment),
  };
  const plans = settings.plansDirectory ?? around.layout.plans;
  const bypassAllowed = options.allowBypass === true || mode === 'bypassPermissions';
  return ok(
    new LeadPermissions(
      {
        workspace,
        role,
        ceiling: { ...openCeiling, ...toolCeiling(options.tools, options.ownTools ?? []) },
        bypassAllowed,
        bypassDisabled: settings.permissions.disableBypassPermissionsMode,
        autoDisabled: settings.permissions.disableAutoMode,
        newPlanFile: () => resumedPlanFile(restored, plans) ?? newPlanFile(plans, around.ids),
        hasJudge: options.judge !== undefined || settings.autoMode.model !== undefined,
      },
      [...given.value, ...settings.rules],
      mode,
    ),
  );
}

function rulesOfOptions(options: SessionOptions, around: Surroundings): Result<Rule[]> {
  const allow = parseRules(options.allowedTools ?? [], 'allow', 'cli', '--allowedTools', around.cwd);
  if (!allow.ok) return allow;
  const deny = parseRules(options.disallowedTools ?? [], 'deny', 'cli', '--disallowedTools', around.cwd);
  return deny.ok ? ok([...allow.value, ...deny.value]) : deny;
}
