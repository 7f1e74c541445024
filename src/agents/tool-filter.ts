import { matchesToolName } from '../places/names.ts';
import type { Role } from '../places/types.ts';
import { isMcpToolName } from '../protocol/tool-names.ts';
import type { AgentDefinition } from './definition.ts';

/** The parts of a tool that the layers look at. */
export interface Named {
  readonly name: string;
}

export interface RemovedTool {
  readonly tool: string;
  readonly reason: string;
}

export interface Filtered<T> {
  readonly kept: T[];
  readonly removed: RemovedTool[];
}

export interface FilterOptions {
  readonly definition: AgentDefinition;
  readonly background: boolean;
  /** It makes a plan of its own, and submits it. */
  readonly plans?: boolean;
  /** 1 for a child of the main agent; 0 if the definition is the main agent itself (`--agent`). */
  readonly depth: number;
  readonly maxDepth: number;
  readonly teammate?: boolean;
  /** The agent must answer in a given form. */
  readonly schema?: boolean;
  /** Tools of the second layer that user or managed settings give back. */
  readonly giveBack?: readonly string[] | undefined;
}

export const boardTools: readonly string[] = ['TaskCreate', 'TaskGet', 'TaskList', 'TaskUpdate'];

/** For the main agent and teammates, which work with others. */
const sharedTools: readonly string[] = [...boardTools, 'ListAgents'];

const teamTools: readonly string[] = ['SendMessage', ...sharedTools];

export const metaTools: readonly string[] = [
  'Agent',
  'TaskOutput',
  'TaskStop',
  'EnterPlanMode',
  'ExitPlanMode',
  'AskUserQuestion',
  'TeamCreate',
  'TeamDelete',
  'SendMessage',
  'SyntheticOutput',
];

export const notForCustom: readonly string[] = [
  'Workflow',
  'EnterWorktree',
  'ExitWorktree',
  'Land',
  'PullRequest',
  'subscribe_pr_activity',
];

const movesSession: readonly string[] = ['EnterWorktree', 'ExitWorktree'];

/** Making, removing and landing worktrees changes the repository, so a read-only agent cannot do it. */
const changesWorktrees: readonly string[] = [...movesSession, 'Land'];

export const backgroundTools: readonly string[] = [
  'Read',
  'Grep',
  'Glob',
  'Edit',
  'Write',
  'Bash',
  'Skill',
  'NotebookEdit',
  'WebFetch',
  'WebSearch',
  'TodoWrite',
  'Report',
];

/** Layer 1: tools that drive other agents, the session or its user are not for a sub-agent. */
export function withoutMetaTools<T extends Named>(tools: readonly T[], options: FilterOptions): Filtered<T> {
  return split(tools, ({ name }) => {
    if (!metaTools.includes(name) || isMcpToolName(name) || isExcepted(name, options)) return undefined;
    if (name !== 'Agent') return 'not available to sub-agents';
    if (!namesAgent(options.definition)) return 'its definition does not name it';
    if (options.depth < options.maxDepth) return undefined;
    return `agents can be nested only ${options.maxDepth} deep (agents.maxDepth)`;
  });
}

/**
 * Layer 2: tools that move work or bring it back are not for agents that come from a file, a flag or a plugin. Of our
 * own, only the main agent moves the session.
 */
export function withoutCustomForbidden<T extends Named>(
  tools: readonly T[],
  options: Pick<FilterOptions, 'definition' | 'depth' | 'giveBack'>,
): Filtered<T> {
  const { definition, depth, giveBack = [] } = options;
  if (definition.source === 'built-in')
    return split(tools, ({ name }) =>
      depth > 0 && movesSession.includes(name)
        ? 'only the main agent can move the session to another directory'
        : undefined,
    );
  return split(tools, ({ name }) =>
    notForCustom.includes(name) && !giveBack.some((given) => matchesToolName(given, name))
      ? 'not available to custom agents unless user or managed settings allow it'
      : undefined,
  );
}

/** Layer 3: a background agent cannot show a dialog, so it has only tools that need none. */
export function onlyBackground<T extends Named>(tools: readonly T[], options: FilterOptions): Filtered<T> {
  if (!options.background) return { kept: [...tools], removed: [] };
  return split(tools, ({ name }) =>
    backgroundTools.includes(name) || isMcpToolName(name) || isExcepted(name, options)
      ? undefined
      : 'not available to background agents',
  );
}

/** Layer 4: the definition itself: its role, then `disallowedTools`, then `tools`. */
export function byDefinition<T extends Named>(tools: readonly T[], options: FilterOptions): Filtered<T> {
  const { tools: listed, disallowedTools, role } = options.definition;
  return split(tools, ({ name }) => {
    if (name === 'SyntheticOutput' && options.schema) return undefined;
    if (!role.writes && changesWorktrees.includes(name)) return 'it is read-only';
    if (disallowedTools.some((pattern) => matchesToolName(pattern, name)))
      return 'its definition disallows it';
    // Sub-agents report to their parent, and every request would pay for the tools: those that need them name them.
    // Every request would pay for its schema.
    if (listed === '*' && name === 'Report' && options.depth > 0)
      return 'only agents whose definition names it have it';
    if (listed === '*' && sharedTools.includes(name) && options.depth > 0 && !options.teammate)
      return 'only the main agent and teammates have it, unless a definition names it';
    if (listed === '*' || listed.some((pattern) => matchesToolName(pattern, name))) return undefined;
    return options.teammate && isTeamTool(name) ? undefined : 'not among the tools of its definition';
  });
}

export interface ResolvedTools<T> {
  readonly tools: T[];
  /** The tools that each layer removed, in their order. */
  readonly layers: readonly { readonly name: string; readonly removed: readonly RemovedTool[] }[];
  /** Entries of `tools` that match no tool. */
  readonly unknown: readonly string[];
  /** The definition's role with exactly these tools, so that each call is checked again when it runs. */
  readonly role: Role;
  /** Set if the definition names tools and none of them is left: it must not be started. */
  readonly problem?: string;
}

/**
 * The tools of one agent, chosen again from all tools. The main agent (depth 0) passes only the last layer; a fork
 * passes none: it has its parent's list, byte for byte.
 */
export function resolveTools<T extends Named>(all: readonly T[], options: FilterOptions): ResolvedTools<T> {
  const { definition, depth } = options;
  const layers = depth === 0 ? ownLayer : allLayers;
  let tools = [...all];
  const report: { name: string; removed: RemovedTool[] }[] = [];
  for (const [name, layer] of layers) {
    const { kept, removed } = layer(tools, options);
    tools = kept;
    report.push({ name, removed });
  }
  const unknown = unknownEntries(definition, all);
  const problem = nothingLeft(tools, definition, unknown);
  tools = withTaskTools(all, tools, definition);
  const isKept = ({ tool }: RemovedTool) => tools.some(({ name }) => name === tool);
  return {
    tools,
    layers: report.map(({ name, removed }) => ({ name, removed: removed.filter((one) => !isKept(one)) })),
    unknown,
    role: { ...definition.role, tools: tools.map((tool) => tool.name) },
    ...(problem === undefined ? {} : { problem }),
  };
}

/**
 * The tools for background commands come with the shell: an agent reads and stops its own. Its view of the registry holds
 * no others.
 */
function withTaskTools<T extends Named>(
  all: readonly T[],
  kept: readonly T[],
  { disallowedTools }: AgentDefinition,
): T[] {
  if (!kept.some(({ name }) => name === 'Bash')) return [...kept];
  const isAdded = (name: string) =>
    taskTools.includes(name) && !disallowedTools.some((pattern) => matchesToolName(pattern, name));
  return all.filter((tool) => kept.includes(tool) || isAdded(tool.name));
}

const taskTools: readonly string[] = ['TaskOutput', 'TaskStop'];

type LayerFunction = <T extends Named>(tools: readonly T[], options: FilterOptions) => Filtered<T>;

const ownLayer: readonly (readonly [string, LayerFunction])[] = [['definition', byDefinition]];

const allLayers: typeof ownLayer = [
  ['meta-tools', withoutMetaTools],
  ['custom agents', withoutCustomForbidden],
  ['background', onlyBackground],
  ...ownLayer,
];

/**
 * The exceptions to layers 1 and 3. A teammate's `Agent` calls are foreground ones, which is ensured where they run.
 */
function isExcepted(name: string, options: FilterOptions): boolean {
  if (name === 'ExitPlanMode') return options.plans === true;
  if (name === 'SyntheticOutput') return options.schema === true;
  return options.teammate === true && (name === 'Agent' || isTeamTool(name));
}

function isTeamTool(name: string): boolean {
  return teamTools.includes(name);
}

/** For teammates: the tools that come with the team, and all that some layer treats in a way of its own. */
export function listTeammateTools(): { added: readonly string[]; all: readonly string[] } {
  const special = [...metaTools, ...notForCustom].filter((name) => !taskTools.includes(name));
  return { added: [...teamTools, 'ExitPlanMode'], all: special };
}

/** `*` is not a name: an agent that starts others must name the tool. */
export function namesAgent({ tools, spawnable }: AgentDefinition): boolean {
  if (spawnable !== undefined) return spawnable.length > 0;
  return tools !== '*' && tools.includes('Agent');
}

function unknownEntries({ tools }: AgentDefinition, all: readonly Named[]): string[] {
  if (tools === '*') return [];
  return tools.filter((entry) => !all.some((tool) => matchesToolName(entry, tool.name)));
}

function nothingLeft(
  tools: readonly Named[],
  { name, tools: listed }: AgentDefinition,
  unknown: readonly string[],
): string | undefined {
  if (listed === '*' || listed.length === 0 || tools.some((tool) => tool.name !== 'SyntheticOutput'))
    return undefined;
  const missing = unknown.length > 0 ? `; unknown: ${unknown.join(', ')}` : '';
  return `The agent ${name} would have no tools: none of ${listed.join(', ')} is available to it${missing}.`;
}

function split<T extends Named>(
  tools: readonly T[],
  reasonAgainst: (tool: T) => string | undefined,
): Filtered<T> {
  const kept: T[] = [];
  const removed: RemovedTool[] = [];
  for (const tool of tools) {
    const reason = reasonAgainst(tool);
    if (reason === undefined) kept.push(tool);
    else removed.push({ tool: tool.name, reason });
  }
  return { kept, removed };
}
