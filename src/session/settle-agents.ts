import { resolve } from 'node:path';
import { agentTool } from '../agents/agent-tool.ts';
import type { AgentDefinition } from '../agents/definition.ts';
import { type BrokenAgent, flagProblem, loadAgents } from '../agents/load-agents.ts';
import { sendMessageTool } from '../agents/send-message.ts';
import type { AgentServices } from '../agents/services.ts';
import { landTool } from '../landing/land-tool.ts';
import type { Ground } from '../landing/types.ts';
import { fail, ok, type Result } from '../lib/result.ts';
import { isOn } from '../lib/switch.ts';
import { enterPlanModeTool, exitPlanModeTool, type PlanDesk } from '../modes/plan-mode.ts';
import { enterWorktreeTool, exitWorktreeTool, type WorktreeDesk } from '../modes/worktree-tools.ts';
import type { Tool } from '../protocol/index.ts';
import type { LoadedSettings } from '../settings/load.ts';
import type { Trust } from '../settings/trust.ts';
import { agentSettings } from './agent-settings.ts';
import { isAttended } from './attended.ts';
import { backgroundWaitNotices } from './background-wait.ts';
import type { SessionOptions } from './options.ts';
import type { Surroundings } from './surroundings.ts';

/** What tools of the lead need of the session. */
export interface Desks {
  plans: PlanDesk;
  worktrees: WorktreeDesk;
  landing(cwd: string): Promise<Result<Ground>>;
}

/** How agents are chosen and shown, settled before anything runs. */
export interface AgentChoices {
  definitions: readonly AgentDefinition[];
  settings: AgentServices['settings'];
  renderSystem(definition: AgentDefinition, model: string, cwd: string): string[];
}

export interface SettledAgents extends Omit<AgentChoices, 'renderSystem'> {
  /** Those that start agents and write to them, and those that move the lead. They work once `bind` was called. */
  tools: Tool[];
  /** Those of them whose results go onto a tape, like those of other tools. */
  recorded: readonly Tool[];
  broken: readonly BrokenAgent[];
  bind(services: AgentServices, desks: Desks): void;
  notices: string[];
}

/** Finds the agents there are, and settles how they run. */
export async function settleAgents(
  options: SessionOptions,
  around: Surroundings,
  settings: LoadedSettings,
  trust: Trust,
  coordinates: boolean,
): Promise<Result<SettledAgents>> {
  const { cwd, root, home, userHome, environment } = around;
  const env = { ...environment, ...settings.env };
  const loaded = await loadAgents({
    ...{ cwd, root, home, userHome, trust },
    later: (act) => void around.atEnd.push(act),
    ...(options.settingSources ? { sources: options.settingSources } : {}),
    additionalDirectories: (options.additionalDirectories ?? []).map((path) => resolve(cwd, path)),
    pluginDirectories: (options.pluginDirectories ?? []).map((path) => resolve(cwd, path)),
    ...(options.agentsFlag === undefined ? {} : { flagAgents: options.agentsFlag }),
    ...(options.agents === undefined ? {} : { agents: options.agents }),
    simple: isOn(env.CADRE_SIMPLE) || isOn(env.CLAUDE_CODE_SIMPLE),
  });
  const problem = flagProblem(loaded);
  if (problem) return fail(problem);
  const chosen = agentSettings(options, settings, env);
  // A coordinator's agents begin with its words, not with its conversation.
  const choices = {
    definitions: loaded.definitions,
    settings: coordinates ? { ...chosen, fork: false } : chosen,
  };
  const bound = lateBound<Wired>();
  const tools = drivingTools(
    { ...choices, coordinates, plans: mayPlan(options, settings), isRepository: around.isRepository },
    bound.get,
  );
  return ok({
    ...choices,
    tools,
    broken: loaded.broken,
    recorded: tools.filter(({ name }) => name === 'Land'),
    bind: (given, desks) => bound.set({ services: given, desks }),
    notices: [...brokenNotice(loaded.broken.length), ...backgroundWaitNotices(env)],
  });
}

export interface Wired {
  services: AgentServices;
  desks: Desks;
}

/** The tools that start and address agents, plan, and keep work apart. */
export function drivingTools(
  given: Pick<AgentChoices, 'definitions' | 'settings'> & {
    coordinates: boolean;
    plans: boolean;
    isRepository: boolean;
  },
  wired: () => Wired,
): Tool[] {
  const services = () => wired().services;
  const desks = () => wired().desks;
  return [
    agentTool(given, services) as Tool,
    sendMessageTool(services) as Tool,
    ...(given.plans ? planTools(() => desks().plans) : []),
    ...(given.isRepository ? [...worktreeTools(desks), landTool((cwd) => desks().landing(cwd)) as Tool] : []),
  ];
}

/** Tools are shown to the model before what they work with is wired. */
function lateBound<T>() {
  let bound: T | undefined;
  return {
    get(): T {
      if (bound === undefined) throw new Error('agents are not wired yet');
      return bound;
    },
    set(value: T) {
      bound = value;
    },
  };
}

/** Where nobody could approve a plan, and none was asked for, there is no use for plan mode. */
function mayPlan(options: SessionOptions, settings: LoadedSettings): boolean {
  return isAttended(options) || (options.permissionMode ?? settings.permissions.defaultMode) === 'plan';
}

function planTools(desk: () => PlanDesk): Tool[] {
  return [enterPlanModeTool(desk), exitPlanModeTool(desk)];
}

function worktreeTools(desks: () => Desks): Tool[] {
  const desk = () => desks().worktrees;
  return [enterWorktreeTool(desk), exitWorktreeTool(desk)];
}

function brokenNotice(count: number): string[] {
  if (count === 0) return [];
  const files = count === 1 ? 'One agent file' : `${count} agent files`;
  return [`${files} could not be read and ${count === 1 ? 'is' : 'are'} left out; cadre agents says why.`];
}
