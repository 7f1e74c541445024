import { lstatSync, rmdirSync } from 'node:fs';
import { type AgentDefinition, workerType } from '../agents/definition.ts';
import { findType } from '../agents/steps/type.ts';
import { systemClock } from '../lib/clock.ts';
import { ensurePrivateDirectory } from '../lib/files/files.ts';
import { failure, ok, type Result, usage } from '../lib/result.ts';
import { coordinatorTools } from '../permissions/roles.ts';
import type { Rule, Tool } from '../protocol/index.ts';
import { findVariable, readVariable } from '../settings/environment.ts';
import type { LoadedSettings } from '../settings/load.ts';
import type { AgentSettings } from '../settings/loaded.ts';
import { settingsTable } from '../settings/table/settings.ts';
import type { AgentDefinitions } from './agents/definitions.ts';
import { agentSettings } from './environment.ts';
import type { Kernel } from './kernel.ts';
import { isDenied } from './lead/tool-pool.ts';
import type { SessionFeature } from './opening.ts';
import type { SessionOptions } from './options.ts';

/** Whether the lead coordinates. */
export interface CoordinatorChoice {
  on: boolean;
  /** Where its agents hand files to each other; absent where this is switched off. */
  scratchpad?: string | undefined;
  /** The lead's instructions for plan mode when it coordinates. */
  planInstructions?: string | undefined;
}

type Choice = CoordinatorChoice & { notices: string[] };

export function coordinatorFeature(): SessionFeature<CoordinatorChoice> {
  return {
    name: 'coordinator mode',
    async open(kernel) {
      const chosen = chooseCoordinator(kernel);
      if (!chosen.ok) return chosen;
      const { on, scratchpad } = chosen.value;
      const planInstructions = on ? await loadPlanInstructions() : undefined;
      return { ...chosen.value, planInstructions, close: () => removeUnused(scratchpad) };
    },
  };
}

/**
 * Coordinator mode is set by an option, the environment or the settings. A resumed session keeps the mode it was
 * started in, whatever is asked for now: its conversation refers to tools that only that mode has.
 */
function chooseCoordinator(kernel: Kernel): Result<Choice> {
  const { options, environment, settings, restored } = kernel;
  const wish = findWish(options, environment, settings);
  const recorded = restored?.state && (restored.state.sessionMode ?? 'normal');
  if (recorded === 'normal') return ok({ on: false, notices: wish ? [staysNormal] : [] });
  const isAgain = recorded === 'coordinator';
  // An agent named for this run takes precedence over a file's setting for every run.
  const gaveWay = !isAgain && wish?.inFile === true && options.agent !== undefined;
  if (gaveWay) return ok({ on: false, notices: [agentInstead(options.agent ?? '')] });
  if (!wish && !isAgain) return ok({ on: false, notices: [] });
  const refused = findRefusal(options, environment, settings, wish);
  if (refused) return refused;
  const pad = openScratchpad(kernel);
  return ok({ on: true, ...pad, notices: [...(isAgain ? [staysCoordinator(options)] : []), ...pad.notices] });
}

async function loadPlanInstructions(): Promise<string> {
  const { coordinatorPlanInstructions } = await import('../modes/coordinator.ts');
  return coordinatorPlanInstructions();
}

/** A session works without one too. */
function openScratchpad({ identity, environment, settings }: Kernel): Pick<Choice, 'scratchpad' | 'notices'> {
  const { files } = identity;
  const isWanted =
    readVariable(settingsTable.scratchpad, environment) ??
    settings.scratchpad ??
    settingsTable.scratchpad.usual;
  if (!isWanted) return { notices: [] };
  const made = makeScratchpad(files.scratchpad);
  return made.ok
    ? { scratchpad: files.scratchpad, notices: [] }
    : { notices: [`The session has no scratchpad. ${made.problem.message}`] };
}

/** Where it was asked for; `inFile` means a settings file, which applies to every run. */
interface Wish {
  by: string;
  inFile?: true;
}

function findWish(
  options: SessionOptions,
  environment: Readonly<Record<string, string>>,
  settings: LoadedSettings,
): Wish | undefined {
  if (options.coordinator !== undefined) return options.coordinator ? { by: '--coordinator' } : undefined;
  const variable = findVariable(settingsTable.coordinator, environment);
  if (variable !== undefined)
    return readVariable(settingsTable.coordinator, environment) ? { by: variable } : undefined;
  return settings.coordinator ? { by: 'the setting coordinator', inFile: true } : undefined;
}

function findRefusal(
  options: SessionOptions,
  environment: Readonly<Record<string, string>>,
  settings: LoadedSettings,
  wish: Wish | undefined,
): Result<never> | undefined {
  const agents = agentSettings(options, settings, environment);
  if (!agents.background)
    return usage(
      `Coordinator mode needs background agents, but they are disabled (${backgroundSwitch(options, environment)}).`,
      'Enable them, or start without coordinator mode.',
    );
  if (options.agent !== undefined)
    return usage(`--agent ${options.agent} and coordinator mode cannot be combined.`, 'Choose one of them.');
  if (options.tools !== undefined)
    return usage(
      '--tools cannot be combined with coordinator mode, which has a fixed set of tools.',
      'Leave out --tools. To deny tools to the workers, use --disallowedTools.',
    );
  return wish && refuseBoth(agents, options, environment, settings, wish);
}

/** Forks are off in coordinator mode; it is an error only if both were asked for in the same place. */
function refuseBoth(
  agents: AgentSettings,
  { agentLimits }: SessionOptions,
  environment: Readonly<Record<string, string>>,
  { origin }: LoadedSettings,
  wish: Wish,
): Result<never> | undefined {
  if (!agents.fork) return undefined;
  const variable = findVariable(settingsTable.agents.section.fork, environment);
  const forkBy = agentLimits?.fork ? 'agentLimits.fork' : variable;
  const isSameFile = origin.get('coordinator')?.file === origin.get('agents.fork')?.file;
  if (wish.inFile ? forkBy !== undefined || !isSameFile : forkBy === undefined) return undefined;
  return usage(
    `Coordinator mode (${wish.by}) and forks (${forkBy ?? 'agents.fork'}) cannot be combined.`,
    'Choose one of them.',
  );
}

function backgroundSwitch(
  { agentLimits }: SessionOptions,
  environment: Readonly<Record<string, string>>,
): string {
  if (agentLimits?.background === false) return 'agentLimits.background';
  const { background } = settingsTable.agents.section;
  return findVariable(background, environment) ?? 'the setting agents.background';
}

const staysNormal =
  'This session was started without coordinator mode and stays without it. To use it, start a new session with --coordinator.';

function staysCoordinator({ coordinator }: SessionOptions): string {
  const anyway = coordinator === false ? ', although it is off now' : '';
  return `This session was started in coordinator mode and stays in it${anyway}.`;
}

function agentInstead(name: string): string {
  return `The setting coordinator is ignored: this session runs as the agent ${name}.`;
}

/**
 * Makes the session's scratchpad: private to the user, outside every repository, removed with the session's other
 * files. A link in its place may be another user's and is not followed.
 */
export function makeScratchpad(path: string): Result<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found && !found.isDirectory())
    return failure(`${path} is not a directory, so there is no scratchpad.`, 'Move or delete it.');
  return ensurePrivateDirectory(path);
}

/** Remove it if nothing was written to it. */
export function removeUnused(path: string | undefined): void {
  if (path === undefined) return;
  try {
    rmdirSync(path);
  } catch {
    // It is not empty.
  }
}

/** A session whose lead only directs other agents. */
export interface Coordination {
  definition: AgentDefinition;
  /** The lead's tools, before those for structured output. */
  tools: Tool[];
  /** The notice about MCP servers; undefined where workers have none. */
  renderServers(names: readonly string[]): string | undefined;
  /** Its own prompt, unless the user gives another, followed by a description of its workers' tools (CO2, CO3). */
  prompted(options: SessionOptions): SessionOptions;
}

export interface CoordinationParts {
  agents: Pick<AgentDefinitions, 'definitions' | 'settings'>;
  /** Only the harness's own tools: those that a program adds are for workers. */
  builtIn: readonly Tool[];
  /** The tools that workers choose from. */
  all: readonly Tool[];
  rules: readonly Rule[];
  scratchpad: string | undefined;
}

/** Loaded only when the lead coordinates. */
export async function openCoordination(kernel: Kernel, parts: CoordinationParts): Promise<Coordination> {
  const { coordinatorDefinition, mayUseServers, renderServers, renderWorkers } = await import(
    '../modes/coordinator.ts'
  );
  const { agents, builtIn, all, rules, scratchpad } = parts;
  const tools = [...builtIn, ...(await subscribeTools(kernel))].filter(
    ({ name }) => coordinatorTools.includes(name) && !isDenied(name, rules),
  );
  const definition = coordinatorDefinition(tools.map(({ name }) => name));
  const worker = findType(agents.definitions, workerType);
  const { maxDepth } = agents.settings;
  const workers = worker ? renderWorkers({ definition: worker, all, maxDepth, scratchpad }) : '';
  return {
    ...{ definition, tools },
    renderServers: (names) => (worker && mayUseServers(worker) ? renderServers(names) : undefined),
    prompted: (options) => ({
      ...options,
      systemPrompt: options.systemPrompt || definition.prompt,
      appendSystemPrompt: [workers, options.appendSystemPrompt ?? ''].join('\n\n').trim(),
    }),
  };
}

/** Where the command line of a forge is installed. Its output is not recorded on a tape. */
async function subscribeTools({ options, place, environment, id: owner }: Kernel): Promise<Tool[]> {
  if (options.record !== undefined || options.replay !== undefined) return [];
  const { openForge } = await import('../modes/forge.ts');
  const forge = await openForge({
    environment,
    root: place.root,
    userHome: place.userHome,
    home: place.home,
    isRepository: place.isRepository,
    owner,
    // A process runs on the machine's time, even if the session's clock differs.
    clock: systemClock,
  });
  if (!forge) return [];
  const { subscribePrTool } = await import('../modes/subscribe-pr.ts');
  return [subscribePrTool(forge) as Tool];
}
