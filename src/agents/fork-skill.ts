import type { OpenSkill } from '../knowledge/open-skill.ts';
import type { Skill } from '../knowledge/skill.ts';
import { alwaysLeft } from '../knowledge/skill-scope.ts';
import { matchesToolName } from '../permissions/names.ts';
import { errorResult, type ToolResult } from '../protocol/index.ts';
import { launchedResult } from './agent-result.ts';
import { waitFor } from './agent-tool.ts';
import type { AgentDefinition } from './definition.ts';
import { makeDelegate } from './delegate.ts';
import { fillSkills } from './fill-skills.ts';
import { resolveType } from './resolve-type.ts';
import type { LiveAgent } from './roster.ts';
import type { AgentServices } from './services.ts';
import { startAgent, totalReached } from './start-agent.ts';
import { withGitStatus } from './with-git-status.ts';

export interface SkillFork {
  opened: OpenSkill;
  prompt: string;
  fork: NonNullable<Skill['fork']>;
  toolUseId: string;
  signal: AbortSignal;
}

/** A skill as an agent of its own (`context: fork`): its text is the agent's task, its lists narrow the agent's tools. */
export async function forkSkill(
  services: AgentServices,
  parent: LiveAgent,
  { opened, prompt, fork, toolUseId, signal }: SkillFork,
): Promise<ToolResult> {
  const { skill, scope } = opened;
  const { settings, scopes } = services;
  const found = resolveType(fork.agent, {
    definitions: services.definitions,
    forking: false,
    rules: parent.context.permissions.rules,
    ...(parent.spawnable ? { spawnable: parent.spawnable } : {}),
  });
  if (!found.ok || found.value.kind !== 'definition')
    return errorResult(
      `${skill.name} runs as an agent of type ${fork.agent}: ${found.ok ? 'no such type' : found.problem.message}`,
    );
  const background = fork.background && settings.background;
  const definition = narrow(found.value.definition, skill);
  const order = await withGitStatus(services, parent, definition, {
    agentId: `a${services.ids.token(12)}`,
    toolUseId,
    description: `/${skill.name}`,
    prompt,
    background,
    editsAllowed: false,
    ...(skill.model === undefined ? {} : { model: skill.model }),
    ...(skill.effort === undefined ? {} : { effort: skill.effort }),
  });
  const made = makeDelegate(services, parent, definition, order);
  if (!made.ok) return errorResult(made.problem.message);
  await fillSkills(services, definition, made.value, signal);
  const enough = totalReached(services);
  if (enough) return errorResult(enough);
  const child = made.value;
  scopes.begin(child.id, {
    ...{ name: scope.name, rules: scope.rules },
    ...(scope.tools && scope.only ? { tools: scope.tools, only: scope.only } : {}),
    ...(scope.hooks ? { hooks: scope.hooks } : {}),
  });
  const task = startAgent(services, parent, child, { prompt, background });
  if (background) return launchedResult(child, prompt, task.outputFile, false);
  return waitFor(services, task, child, prompt, { signal });
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
