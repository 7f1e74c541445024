import { join, resolve } from 'node:path';
import { type AgentPermissions, openAgentPermissions } from '../agents/steps/permissions.ts';
import { HarnessCommands } from '../hooks/harness-commands.ts';
import { ensurePrivateDirectory } from '../lib/files/files.ts';
import { findUserHome } from '../lib/files/user-home.ts';
import { ok, type Result, usage } from '../lib/result.ts';
import { remind } from '../lib/text/harness-tags.ts';
import { choosePlans, newPlanFile } from '../modes/plan-file.ts';
import { workerPlanInstructions } from '../modes/plan-mode.ts';
import { fullRole, openCeiling } from '../permissions/ceiling.ts';
import type { PermissionContext } from '../permissions/context.ts';
import type { Grants } from '../permissions/grants.ts';
import { coordinatorRole } from '../permissions/roles.ts';
import { openRunsLater } from '../places/find-runs-later.ts';
import type { Role } from '../places/types.ts';
import type { PermissionMode, Rule, Tool } from '../protocol/index.ts';
import { outputToolName } from '../protocol/tool-names.ts';
import { lookAtFiles } from '../shell/look-files.ts';
import { type CommandPrograms, openCommandPrograms } from '../tools/bash/command-programs.ts';
import { shellDialect } from '../tools/bash/environment.ts';
import { openRealPaths, resolveRealPath } from '../workspace/real-path.ts';
import { workPlaces } from '../workspace/search-path.ts';
import { settlePlaces } from '../workspace/settled-places.ts';
import { openStarts } from '../workspace/worktrees/twins.ts';
import type { AgentDefinitions } from './agents/definitions.ts';
import type { CoordinatorChoice } from './coordinator.ts';
import { agentSettings, readStartRules } from './environment.ts';
import type { Kernel } from './kernel.ts';
import { listGivenPlaces } from './knowledge/skills.ts';
import { toolCeiling } from './lead/tool-pool.ts';
import type { SessionFeature } from './opening.ts';
import { isAttended, type SessionOptions } from './options.ts';
import { noJudge } from './questions/judge.ts';
import { resumedPlanFile } from './restore.ts';

interface Fixed extends Pick<PermissionContext, 'workspace' | 'role' | 'ceiling'> {
  programs: CommandPrograms;
  ownCommands: HarnessCommands;
  bypassAllowed: boolean;
  bypassDisabled: boolean;
  autoDisabled: boolean;
  /** Whether there is a judge for `auto` mode. */
  hasJudge: boolean;
  /** The directory for plans. */
  plans: string;
  /** Makes the directory, and names the file that a plan is written to. */
  newPlanFile(): string;
}

/** The permissions and mode of the session's agents; changed only by the user's commands and answers. */
export class LeadPermissions {
  /** Agents whose own plan was approved: their definition's plan mode is over. */
  readonly approvedPlans = new Set<string>();
  #mode: PermissionMode;
  /** The last mode other than plan mode that a run began in. Modes that a user only passes on the way to plan mode do not count. */
  #worked: PermissionMode;
  /** The mode before plan mode. */
  #before: PermissionMode = 'default';
  #planFile: string | undefined;
  #teamMemory: string | undefined;
  #isolated: ((context: PermissionContext) => PermissionContext) | undefined;
  readonly #settled = settlePlaces();

  constructor(
    private readonly fixed: Fixed,
    /** The permissions of files and the command line. */
    readonly startRules: readonly Rule[],
    /** Grants since the start, to the lead and to other agents. */
    readonly grants: Grants,
    mode: PermissionMode,
  ) {
    this.#mode = mode;
    this.#worked = mode === 'plan' ? 'default' : mode;
    if (mode === 'plan') this.beginPlan();
    this.#settled(fixed.workspace.directories);
  }

  /** The mode that the user chose. */
  get mode(): PermissionMode {
    return this.#mode;
  }

  /** Where commands find their programs. */
  get programs(): CommandPrograms {
    return this.fixed.programs;
  }

  /** Commands that the session runs for its user. */
  get ownCommands(): HarnessCommands {
    return this.fixed.ownCommands;
  }

  get hasJudge(): boolean {
    return this.fixed.hasJudge;
  }

  get bypassAllowed(): boolean {
    return this.fixed.bypassAllowed && !this.fixed.bypassDisabled;
  }

  /** For any agent: the permissions of files and the command line, those granted to the session, and its own. */
  listRules(agentId: string | null): readonly Rule[] {
    return [...this.startRules, ...this.grants.listRules(agentId)];
  }

  /** The one file that plan mode writes, once it has begun; it stays the same for the whole session. */
  get planFile(): string | undefined {
    return this.#planFile;
  }

  /** Makes the directory for a plan. */
  beginPlan(): string {
    this.#planFile ??= this.fixed.newPlanFile();
    return this.#planFile;
  }

  /** The one file that an agent in its own plan mode may write. */
  findAgentPlan(agentId: string): string {
    return join(resolveRealPath(this.fixed.plans), `plan-${agentId}.md`);
  }

  /** Makes the directory for it. */
  beginAgentPlan(): void {
    ensurePrivateDirectory(this.fixed.plans);
  }

  /** A run begins in the current mode. */
  noteRun(): void {
    if (this.#mode !== 'plan') this.#worked = this.#mode;
  }

  /** The mode from before plan mode. */
  get modeBeforePlan(): PermissionMode {
    return this.#before;
  }

  /** Where the end of plan mode leads, if not to the mode from before it. */
  returnTo(mode: PermissionMode): void {
    this.#before = mode;
  }

  /** As of now: a run asks again for every call. Without a judge, `auto` asks the same questions as `default`. */
  context(): PermissionContext {
    const { workspace, hasJudge } = this.fixed;
    const directories = this.#settled([...workspace.directories, ...this.grants.directories()]);
    const context: PermissionContext = {
      ceiling: this.fixed.ceiling,
      role: this.fixed.role,
      mode: this.#mode === 'auto' && !hasJudge ? 'default' : this.#mode,
      rules: this.listRules(null),
      workspace: {
        ...workspace,
        directories,
        ...(this.#mode === 'plan' && this.#planFile !== undefined ? { planFile: this.#planFile } : {}),
        ...(this.#teamMemory === undefined ? {} : { teamMemory: this.#teamMemory }),
      },
    };
    return this.#isolated?.(context) ?? context;
  }

  /** The notes of the team that the session takes part in; undefined when it has left it. */
  shareNotes(directory: string | undefined): void {
    this.#teamMemory = directory;
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
          'This session may not use mode bypassPermissions.',
          'Start a session with --allow-dangerously-skip-permissions.',
        );
    }
    if (mode === 'auto' && this.fixed.autoDisabled) return usage(autoDisabled);
    if (mode === 'plan') this.beginPlan();
    if (mode === 'plan' && this.#mode !== 'plan') this.#before = this.#worked;
    this.#mode = mode;
    return ok(undefined);
  }
}

const disabled = 'Mode bypassPermissions is disabled by settings (permissions.disableBypassPermissionsMode).';
const autoDisabled = 'Mode auto is disabled by settings (permissions.disableAutoMode).';

export interface SessionPermissions extends Pick<AgentPermissions, 'plansAlone'> {
  permissions: LeadPermissions;
}

/** The permissions given by files, the command line and earlier sessions. */
export function permissionFeature(
  { on: coordinates, scratchpad }: CoordinatorChoice,
  { main, options }: AgentDefinitions,
  own: readonly Tool[],
): SessionFeature<SessionPermissions> {
  const chosen = coordinates ? coordinatorRole : (main?.role ?? fullRole);
  const withTasks = coordinates ? chosen : withTaskTools(chosen);
  const role = options.outputSchema === undefined ? withTasks : withOutputTool(withTasks);
  return {
    name: 'permissions',
    open(kernel) {
      const opened = openPermissions(kernel, options, { scratchpad, role, own });
      if (!opened.ok) return opened;
      const { mode, hasJudge, bypassAllowed, grants, approvedPlans } = opened.value;
      const { permissionMode } = agentSettings(options, kernel.settings, kernel.environment);
      const { step, plansAlone } = openAgentPermissions({
        worktreesAreFree: permissionMode !== 'default',
        bypassAllowed,
        asksAboutTypes: options.interactive === true || (isAttended(options) && wantsQuestion(kernel)),
        listRules: (agentId) => opened.value.listRules(agentId),
        forgetGrants: (agentId) => grants.forget(agentId),
        isPlanApproved: (agentId) => approvedPlans.has(agentId),
        findPlanFile: (agentId) => opened.value.findAgentPlan(agentId),
        beginPlan: (agentId) => {
          opened.value.beginAgentPlan();
          return remind(workerPlanInstructions(opened.value.findAgentPlan(agentId)));
        },
      });
      return {
        ...{ permissions: opened.value, plansAlone, agentSteps: [step] },
        notices: [
          ...(mode === 'auto' && !hasJudge ? [noJudge] : []),
          ...choosePlans(kernel.settings.plansDirectory, kernel.place).notices,
        ],
      };
    },
  };
}

/** By default only a person at a terminal is asked; a host is if the user chose so. */
function wantsQuestion({ options, settings }: Kernel): boolean {
  return (options.agentLimits?.permissionMode ?? settings.agents.permissionMode) === 'ask';
}

/** Reading and stopping its own background commands comes with the shell. What its definition disallows stays denied. */
function withTaskTools(role: Role): Role {
  if (role.tools === '*' || !role.tools.includes('Bash')) return role;
  return { ...role, tools: [...role.tools, 'TaskOutput', 'TaskStop'] };
}

/** A run with a schema has the output tool, whatever the lists of its definition say. */
function withOutputTool(role: Role): Role {
  return {
    ...role,
    tools: role.tools === '*' ? '*' : [...role.tools, outputToolName],
    denied: role.denied.filter((pattern) => pattern !== outputToolName),
  };
}

function openPermissions(
  { place: around, settings, identity, questions, ...kernel }: Kernel,
  options: SessionOptions,
  { scratchpad, role, own }: { scratchpad: string | undefined; role: Role; own: readonly Tool[] },
): Result<LeadPermissions> {
  const restored = identity.goesOn ? kernel.restored : undefined;
  const rules = readStartRules(options, settings, around, own);
  if (!rules.ok) return rules;
  const mode = options.permissionMode ?? settings.permissions.defaultMode ?? 'default';
  if (mode === 'bypassPermissions' && settings.permissions.disableBypassPermissionsMode)
    return usage(disabled);
  if (mode === 'auto' && settings.permissions.disableAutoMode) return usage(autoDisabled);
  const added = (options.additionalDirectories ?? []).map((path) => resolve(around.cwd, path));
  const directories = [...settings.permissions.additionalDirectories, ...added];
  const programs = openCommandPrograms({
    env: kernel.environment,
    shell: around.shell,
    userHome: around.userHome,
    places: () => [around.root, ...workPlaces(around.cwd), ...directories],
  });
  const ownCommands = new HarnessCommands(settings);
  const workspace = {
    cwd: around.cwd,
    directories,
    readable: [identity.files.directory, ...listGivenPlaces(options, around)],
    ...(scratchpad === undefined ? {} : { scratchpad }),
    home: around.layout.home,
    userHome: around.userHome,
    findHome: findUserHome,
    ...shellDialect(settings.env.PATH ?? around.environment.PATH ?? ''),
    realPath: resolveRealPath,
    openPaths: openRealPaths,
    findStarts: openStarts(around.layout.home),
    runsLater: openRunsLater({
      userHome: around.userHome,
      environment: around.environment,
      home: around.layout.home,
      commands: () => ownCommands.list(),
    }),
    look: lookAtFiles([around.cwd, ...directories], undefined, around.environment, programs.current),
  };
  const { plans } = choosePlans(settings.plansDirectory, around);
  const bypassAllowed = options.allowBypass === true || mode === 'bypassPermissions';
  return ok(
    new LeadPermissions(
      {
        workspace,
        programs,
        ownCommands,
        role,
        ceiling: { ...openCeiling, ...toolCeiling(options.tools, own) },
        bypassAllowed,
        bypassDisabled: settings.permissions.disableBypassPermissionsMode,
        autoDisabled: settings.permissions.disableAutoMode,
        plans,
        newPlanFile: () => resumedPlanFile(restored, plans) ?? newPlanFile(plans, around.ids),
        hasJudge: options.judge !== undefined || settings.autoMode.model !== undefined,
      },
      rules.value,
      questions.grants,
      mode,
    ),
  );
}
