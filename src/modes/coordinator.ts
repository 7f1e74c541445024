import type { AgentDefinition } from '../agents/definition.ts';
import { resolveTools } from '../agents/tool-filter.ts';
import { selectPromptLines } from '../knowledge/prompt.ts';
import { escapeHarnessTags, remind } from '../lib/text/harness-tags.ts';
import { visibleLine } from '../lib/text/text.ts';
import { coordinatorRole, coordinatorTools } from '../permissions/roles.ts';
import { matchesToolName } from '../places/names.ts';
import prompt from './coordinator.md' with { type: 'text' };
import planInstructions from './coordinator-plan.md' with { type: 'text' };

/** The lead of a session in coordinator mode. Not a type of agent: nobody can start it. */
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
  /** What workers are made from. */
  definition: AgentDefinition;
  /** All tools there are. */
  all: readonly { name: string }[];
  maxDepth: number;
  scratchpad: string | undefined;
}

/** What the coordinator is told of its workers. The same for as long as the session lives: it is in the prompt. */
export function renderWorkers({ definition, all, maxDepth, scratchpad }: WorkerFacts): string {
  const { tools } = resolveTools(all, { definition, background: true, mode: 'default', depth: 1, maxDepth });
  const names = tools.map(({ name }) => name).filter((name) => !name.startsWith('mcp__'));
  const lines = [
    `- Tools: ${names.join(', ') || 'none'}.`,
    ...(mayUseServers(definition) ? ['- The tools of MCP servers. You are told which are connected.'] : []),
    ...(scratchpad === undefined ? [] : [scratchpadLine(scratchpad)]),
  ];
  return `# What workers have\n\n${lines.join('\n')}`;
}

function scratchpadLine(path: string): string {
  return (
    `- A scratchpad, ${visibleLine(path, 1_000)}: a directory of this session that all workers read and write without ` +
    'being asked, for what one is to hand to another. Whole files, each with its own name; name the file in both prompts.'
  );
}

/** In simple mode workers have three tools, and no server's. */
export function mayUseServers({ tools, disallowedTools }: AgentDefinition): boolean {
  const some = 'mcp__server__tool';
  const named = (patterns: readonly string[]) =>
    patterns.some((pattern) => matchesToolName(pattern, some) || pattern.startsWith('mcp__'));
  return (
    (tools === '*' || named(tools)) && !disallowedTools.some((pattern) => matchesToolName(pattern, some))
  );
}

/** Told in the conversation and not in the prompt, whose bytes must not depend on when a server answers. */
export function renderServers(names: readonly string[]): string {
  const shown = names.map((name) => escapeHarnessTags(visibleLine(name, 100)));
  const text =
    shown.length === 0
      ? 'No MCP server is connected for workers any more.'
      : `MCP servers that workers can use: ${shown.join(', ')}.`;
  return remind(text);
}
