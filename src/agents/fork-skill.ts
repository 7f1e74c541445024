import type { OpenSkill } from '../knowledge/open-skill.ts';
import type { Skill } from '../knowledge/skill.ts';
import { alwaysLeft } from '../knowledge/skill-scope.ts';
import { matchesToolName } from '../permissions/names.ts';
import { errorResult, type ToolResult } from '../protocol/index.ts';
import { launchedResult } from './agent-result.ts';
import { waitFor } from './agent-tool.ts';
import type { AgentDefinition } from './definition.ts';
import type { AgentKernel } from './kernel.ts';
import { prepareAgent } from './prepare-agent.ts';
import { resolveType } from './resolve-type.ts';
import type { LiveAgent } from './roster.ts';
import { startAgent } from './start-agent.ts';

export interface SkillFork {
  opened: OpenSkill;
  prompt: string;
  fork: NonNullable<Skill['fork']>;
  toolUseId: string;
  signal: AbortSignal;
}

/** A skill as an agent of its own (`context: fork`): its text is the agent's task, its lists narrow the agent's tools. */
export async function forkSkill(
  agents: AgentKernel,
  parent: LiveAgent,
  { opened, prompt, fork, toolUseId, signal }: SkillFork,
): Promise<ToolResult> {
  const { skill, scope } = opened;
  const { settings, scopes } = agents;
  const found = resolveType(fork.agent, {
    definitions: agents.definitions,
    forking: false,
    rules: parent.context.permissions.rules,
    ...(parent.spawnable ? { spawnable: parent.spawnable } : {}),
  });
  if (!found.ok || found.value.kind !== 'definition')
    return errorResult(
      `${skill.name} runs as an agent of type ${fork.agent}: ${found.ok ? 'no such type' : found.problem.message}`,
    );
  const background = fork.background && settings.background;
  const request = {
    ...{ toolUseId, description: `/${skill.name}`, prompt, background },
    ...{ model: skill.model, effort: skill.effort, isolation: 'shared' as const },
    type: narrow(found.value.definition, skill),
  };
  const begun = await prepareAgent(agents, parent, request, { signal }, (spec) => {
    scopes.begin(spec.id, {
      ...{ name: scope.name, rules: scope.rules },
      ...(scope.tools && scope.only ? { tools: scope.tools, only: scope.only } : {}),
      ...(scope.hooks ? { hooks: scope.hooks } : {}),
    });
    return { spec, task: startAgent(agents, spec) };
  });
  if (!begun.ok) return errorResult(begun.problem.message);
  const { spec, task } = begun.value;
  if (background) return launchedResult(spec, prompt, task.outputFile, false);
  return waitFor(agents, task, spec, prompt, { signal });
}

/** Never more than the type has: a list of allowed tools takes away, and so does one of those that are not. */
function narrow(definition: AgentDefinition, { allowedTools, disallowedTools }: Skill): AgentDefinition {
  const named = allowedTools && [
    ...allowedTools.map((rule) => rule.replace(/\(.*$/s, '').trim()),
    ...alwaysLeft,
  ];
  const whole = disallowedTools.filter((rule) => !rule.includes('('));
  const tools =
    named === undefined
      ? definition.tools
      : definition.tools === '*'
        ? named
        : definition.tools.filter((tool) => named.some((pattern) => matchesToolName(pattern, tool)));
  return { ...definition, tools, disallowedTools: [...definition.disallowedTools, ...whole] };
}
