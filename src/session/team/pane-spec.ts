import type { AgentStep } from '../../agents/kernel.ts';
import { prepareAgent } from '../../agents/prepare-agent.ts';
import type { LiveAgent } from '../../agents/roster.ts';
import { type AgentRequest, type AgentSpec, formatType } from '../../agents/spec.ts';
import { childMode, withoutPlan } from '../../agents/steps/permissions.ts';
import { worktreesKept } from '../../agents/steps/place.ts';
import { keepDefined } from '../../lib/fields/keep-defined.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import type { Account } from '../../models/budget/account.ts';
import { convertCaps } from '../../models/budget/caps.ts';
import { ledgerPath } from '../../models/budget/file-ledger.ts';
import type { PermissionMode } from '../../protocol/index.ts';
import type { TeammateSpec } from '../../team/executors/executor.ts';
import type { StartRecord } from '../../team/start-files.ts';
import { buildSlug } from '../../workspace/worktrees/slug.ts';
import type { Kernel } from '../kernel.ts';
import { pickPassed } from '../passed-options.ts';
import type { TeamPart } from '../team-part.ts';
import { pickForPane } from './pane-environment.ts';
import type { Crew } from './teammates.ts';

/** All of a teammate's launch but its address. */
export type PaneLaunch = Omit<TeammateSpec, 'name' | 'team' | 'colour'>;

export interface PaneCrew extends Pick<Crew, 'agents'> {
  readonly kernel: Kernel;
}

/** The steps that the leader's session decides about a teammate in a pane. Its own session decides the others, by its definition. */
const leaderSteps: readonly string[] = ['type', 'cost', 'model', 'permissions'];

/**
 * What a teammate in a pane is opened with. Its type, model, account and mode are decided by the same steps as for a teammate in this
 * process: what they refuse is refused here, before anything is opened.
 */
export async function preparePane(
  crew: PaneCrew,
  lead: LiveAgent,
  request: AgentRequest,
  { sessionId, taskUuid, signal }: { sessionId: string; taskUuid: string; signal: AbortSignal },
): Promise<Result<PaneLaunch>> {
  const { agents, kernel } = crew;
  const steps = [...agents.steps.filter(({ name }) => leaderSteps.includes(name)), paneStep(kernel)];
  const wish = { ...request, type: request.type ?? 'general-purpose', background: true };
  const prepared = await prepareAgent(
    { ...agents, steps },
    lead,
    wish,
    { signal, id: sessionId },
    (spec) => spec,
  );
  if (!prepared.ok) return prepared;
  const spec = prepared.value;
  const { engine, place } = spec;
  const { mode } = spec.permissions();
  const part = composePart(crew, lead, engine.account, {
    ...{ task: request.prompt, taskUuid, effort: request.effort },
    ...{
      leaderMode: lead.context.permissions.mode,
      modeUnderDefault: decideUnderDefault(spec, agents.settings),
    },
  });
  return ok(
    keepDefined({
      ...describeLaunch(crew, sessionId, part),
      ...{ prompt: request.prompt, description: request.description, agentType: formatType(spec) },
      ...{ model: engine.model.id, permissionMode: mode },
      worktree: place.makesWorktree ? nameWorktree(request, kernel) : undefined,
    }),
  );
}

/** For the time when its leader is in the default mode again, and its own plan, if it makes one, was approved. */
function decideUnderDefault(spec: AgentSpec, settings: PaneCrew['agents']['settings']): PermissionMode {
  const { definition, parent, place } = spec;
  const isPlanner = definition?.permissionMode === 'plan';
  if (!definition || (parent.context.permissions.mode === 'default' && !isPlanner))
    return spec.permissions().mode;
  return childMode({
    ...{ parent: 'default', definition: withoutPlan(definition), bypassAllowed: false },
    isFreeToEdit: place.makesWorktree === true && settings.permissionMode !== 'default',
    editsAllowed: settings.permissionMode === 'acceptEdits',
  });
}

/** The same for one that continues: its transcript has its type, model and mode, and its task unless `start` is given. */
export function prepareResumedPane(
  crew: PaneCrew,
  lead: LiveAgent,
  sessionId: string,
  start: StartRecord | undefined,
): PaneLaunch {
  const { agents } = crew;
  const account = lead.account.child(sessionId, convertCaps(agents.settings));
  const mode = lead.context.permissions.mode;
  return {
    ...describeLaunch(crew, sessionId, composePart(crew, lead, account, readTask(start))),
    ...{ prompt: '', isResumed: true, ...(mode === 'plan' ? { permissionMode: mode } : {}) },
  };
}

function readTask(start: StartRecord | undefined): Pick<TeamPart, 'task' | 'taskUuid' | 'effort'> {
  if (!start) return {};
  const { taskUuid, request } = start;
  return { task: request.prompt, taskUuid, effort: request.effort };
}

function describeLaunch({ kernel }: PaneCrew, sessionId: string, part: TeamPart) {
  const { options, questions, place, environment } = kernel;
  const { additionalDirectories = [] } = options;
  const passed = {
    ...pickPassed(options),
    // One that begins with a plan comes to the mode of its leader only afterwards.
    ...(part.leaderMode === 'bypassPermissions' ? { allowBypass: true } : {}),
    additionalDirectories: [...additionalDirectories, ...questions.grants.directories()],
  };
  return {
    ...{ agentId: sessionId, taskId: sessionId, sessionId, cwd: place.cwd },
    ...{ environment: pickForPane(environment), session: { options: passed, part } },
  };
}

function composePart(
  { kernel }: PaneCrew,
  { context }: LiveAgent,
  { path, limits }: Account,
  more: Pick<TeamPart, 'task' | 'taskUuid' | 'effort' | 'leaderMode' | 'modeUnderDefault'>,
): TeamPart {
  return keepDefined({
    ...more,
    userApprovesPlans: context.permissions.mode === 'plan' || undefined,
    grants: kernel.questions.grants.listSessionRules(),
    account: { ledger: ledgerPath(kernel.identity.files.directory), path, limits },
  });
}

/** Where it works. Its own session makes its worktree, and leaves it when it ends. */
function paneStep({ place }: Kernel): AgentStep {
  return {
    name: 'place',
    complete(spec: AgentSpec) {
      const { request, definition, parent } = spec;
      if (request.worktree !== undefined)
        return usage(
          'worktree: a teammate in a pane cannot have a scratch copy.',
          'Leave it out, or set teammateMode to in-process.',
        );
      const isolation = request.isolation ?? definition?.isolation;
      if (isolation === 'remote') return usage('isolation: remote is not available to teammates.');
      if (isolation !== 'worktree') return ok(undefined);
      const kept = worktreesKept(parent, definition?.name);
      if (kept)
        return usage(`isolation: worktree is not possible here. ${kept.reason}`, `First, ${kept.hint}.`);
      if (!place.isRepository)
        return usage(`isolation: worktree is not possible here. ${place.cwd} is not in a git repository.`);
      spec.place.makesWorktree = true;
      return ok(undefined);
    },
  };
}

function nameWorktree({ name }: AgentRequest, { place }: Kernel): string {
  return buildSlug(name ?? 'teammate', place.ids.token(6).toLowerCase());
}
