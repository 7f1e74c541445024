import { type AgentDefinition, workerType } from '../agents/definition.ts';
import { findType } from '../agents/resolve-type.ts';
import { systemClock } from '../lib/clock.ts';
import {
  coordinatorDefinition,
  coordinatorPlanInstructions,
  mayUseServers,
  renderServers,
  renderWorkers,
} from '../modes/coordinator.ts';
import { coordinatorTools } from '../permissions/roles.ts';
import type { Rule, Tool } from '../protocol/index.ts';
import type { LoadedSettings } from '../settings/load.ts';
import type { SessionOptions } from './options.ts';
import type { SettledAgents } from './settle-agents.ts';
import type { Surroundings } from './surroundings.ts';
import { isDenied } from './tool-pool.ts';

/** A session whose lead only directs others. */
export interface Coordination {
  definition: AgentDefinition;
  /** The lead's, before those of a schema. */
  tools: Tool[];
  scratchpad: string | undefined;
  /** What the lead is told when plan mode begins. */
  planInstructions: string;
  /** What it is told of MCP servers; undefined where workers have none. */
  renderServers(names: readonly string[]): string | undefined;
  /** With its own prompt, unless the user gives another, and behind everything what its workers have (CO2, CO3). */
  prompted(options: SessionOptions): SessionOptions;
}

export interface CoordinationNeeds {
  options: SessionOptions;
  around: Surroundings;
  settings: LoadedSettings;
  agents: Pick<SettledAgents, 'definitions' | 'settings'>;
  /** Those of the harness alone: what a program brings along is for workers. */
  builtIn: readonly Tool[];
  /** What workers choose from. */
  all: readonly Tool[];
  rules: readonly Rule[];
  scratchpad: string | undefined;
  /** The session's id, by which its processes are known. */
  owner: string;
}

export async function openCoordination(needs: CoordinationNeeds): Promise<Coordination> {
  const { agents, builtIn, all, rules, scratchpad } = needs;
  const tools = [...builtIn, ...(await subscribeTools(needs))].filter(
    ({ name }) => coordinatorTools.includes(name) && !isDenied(name, rules),
  );
  const definition = coordinatorDefinition(tools.map(({ name }) => name));
  const worker = findType(agents.definitions, workerType);
  const { maxDepth } = agents.settings;
  const workers = worker ? renderWorkers({ definition: worker, all, maxDepth, scratchpad }) : '';
  return {
    ...{ definition, tools, scratchpad },
    planInstructions: coordinatorPlanInstructions(),
    renderServers: (names) => (worker && mayUseServers(worker) ? renderServers(names) : undefined),
    prompted: (options) => ({
      ...options,
      systemPrompt: options.systemPrompt ?? definition.prompt,
      appendSystemPrompt: [workers, options.appendSystemPrompt ?? ''].join('\n\n').trim(),
    }),
  };
}

/** Where the command line of a forge is installed. What it says is not on a tape. */
async function subscribeTools({ options, around, settings, owner }: CoordinationNeeds): Promise<Tool[]> {
  if (options.record !== undefined || options.replay !== undefined) return [];
  const { openForge } = await import('../modes/forge.ts');
  const forge = await openForge({
    environment: { ...around.environment, ...settings.env },
    root: around.root,
    userHome: around.userHome,
    home: around.home,
    isRepository: around.isRepository,
    owner,
    // A process lives by the machine's time, whatever the session's is.
    clock: systemClock,
  });
  if (!forge) return [];
  const { subscribePrTool } = await import('../modes/subscribe-pr.ts');
  return [subscribePrTool(forge) as Tool];
}
