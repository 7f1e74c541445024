import { type AgentDefinition, workerType } from '../agents/definition.ts';
import { findType } from '../agents/resolve-type.ts';
import { systemClock } from '../lib/clock.ts';
import { coordinatorDefinition, mayUseServers, renderServers, renderWorkers } from '../modes/coordinator.ts';
import { coordinatorTools } from '../permissions/roles.ts';
import type { Rule, Tool } from '../protocol/index.ts';
import type { AgentDefinitions } from './agent-definitions.ts';
import type { Kernel } from './kernel.ts';
import type { SessionOptions } from './options.ts';
import { isDenied } from './tool-choice.ts';

/** A session whose lead only directs others. */
export interface Coordination {
  definition: AgentDefinition;
  /** The lead's, before those of a schema. */
  tools: Tool[];
  /** What it is told of MCP servers; undefined where workers have none. */
  renderServers(names: readonly string[]): string | undefined;
  /** With its own prompt, unless the user gives another, and behind everything what its workers have (CO2, CO3). */
  prompted(options: SessionOptions): SessionOptions;
}

export interface CoordinationParts {
  agents: Pick<AgentDefinitions, 'definitions' | 'settings'>;
  /** Those of the harness alone: what a program brings along is for workers. */
  builtIn: readonly Tool[];
  /** What workers choose from. */
  all: readonly Tool[];
  rules: readonly Rule[];
  scratchpad: string | undefined;
}

/** Loaded only where a lead coordinates. */
export async function openCoordination(kernel: Kernel, parts: CoordinationParts): Promise<Coordination> {
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
      systemPrompt: options.systemPrompt ?? definition.prompt,
      appendSystemPrompt: [workers, options.appendSystemPrompt ?? ''].join('\n\n').trim(),
    }),
  };
}

/** Where the command line of a forge is installed. What it says is not on a tape. */
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
    // A process lives by the machine's time, whatever the session's is.
    clock: systemClock,
  });
  if (!forge) return [];
  const { subscribePrTool } = await import('../modes/subscribe-pr.ts');
  return [subscribePrTool(forge) as Tool];
}
