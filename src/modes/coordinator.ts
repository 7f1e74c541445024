import type { AgentDefinition } from '../agents/definition.ts';
import { resolveTools } from '../agents/tool-filter.ts';
import { selectPromptLines } from '../knowledge/prompt.ts';
import { escapeHarnessTags, remind } from '../lib/text/harness-tags.ts';
import { visibleLine } from '../lib/text/text.ts';
import { coordinatorRole, coordinatorTools } from '../permissions/roles.ts';
import { matchesToolName } from '../places/names.ts';
import prompt from './coordinator.md' with { type: 'text' };
import planInstructions from './coordinator-plan.md' with { type: 'text' };

/** The lead of a session in coordinator mode. Not an agent type: it cannot be started by another agent. */
export function coordinatorDefinition(tools: readonly string[]): AgentDefinition {
  return {
    name: 'coordinator',
    description: 'Directs workers.',
    prompt: selectPromptLines(prompt, tools).trim(),
    source: 'built-in',
    tools: coordinatorTools,
    disallowedTools: [],
    background: false,
    mcpServers: [],
    skills: [],
    omitProjectMemory: false,
    role: coordinatorRole,
    spawnable: ['worker'],
    notes: [],
  };
}

export function coordinatorPlanInstructions(): string {
  return planInstructions.trim();
}

export interface WorkerFacts {
  /** The definition that workers are made from. */
  definition: AgentDefinition;
  /** All existing tools. */
  all: readonly { name: string }[];
  maxDepth: number;
  scratchpad: string | undefined;
}

/** Tells the coordinator about its workers. It must not change during a session because it is part of the prompt. */
export function renderWorkers({ definition, all, maxDepth, scratchpad }: WorkerFacts): string {
  const { tools } = resolveTools(all, { definition, background: true, depth: 1, maxDepth });
  const names = tools.map(({ name }) => name).filter((name) => !name.startsWith('mcp__'));
  const lines = [
    `- Tools: ${names.join(', ') || 'none'}.`,
    ...(mayUseServers(definition)
      ? ['- The tools of MCP servers. You are notified which are connected.']
      : []),
    ...(scratchpad === undefined ? [] : [scratchpadLine(scratchpad)]),
  ];
  return `# What workers can use\n\n${lines.join('\n')}`;
}

function scratchpadLine(path: string): string {
  return (
    `- A scratchpad, ${visibleLine(path, 1_000)}: a directory of this session that all workers read and write without ` +
    'asking, to hand files to each other. Write whole files with unique names, and name the file in both prompts.'
  );
}

/** In simple mode workers have three tools and none from MCP servers. */
export function mayUseServers({ tools, disallowedTools }: AgentDefinition): boolean {
  const some = 'mcp__server__tool';
  const named = (patterns: readonly string[]) =>
    patterns.some((pattern) => matchesToolName(pattern, some) || pattern.startsWith('mcp__'));
  return (
    (tools === '*' || named(tools)) && !disallowedTools.some((pattern) => matchesToolName(pattern, some))
  );
}

/** Sent in the conversation and not in the prompt, whose bytes must not depend on when a server answers. */
export function renderServers(names: readonly string[]): string {
  const shown = names.map((name) => escapeHarnessTags(visibleLine(name, 100)));
  const text =
    shown.length === 0
      ? 'No MCP server is connected for workers now.'
      : `MCP servers that workers can use: ${shown.join(', ')}.`;
  return remind(text);
}
