import { expandSkill, type SkillHands } from '../knowledge/expand-skill.ts';
import { type OpenSkill, openSkill, type SkillWorld } from '../knowledge/open-skill.ts';
import type { Skill } from '../knowledge/skill.ts';
import { type SkillScope, withScope } from '../knowledge/skill-scope.ts';
import type { Problem } from '../lib/result.ts';
import { type AgentEvent, errorResult, type ToolResult } from '../protocol/index.ts';
import { launchedResult } from './agent-result.ts';
import { waitForAgent } from './agent-tool.ts';
import type { AgentDefinition } from './definition.ts';
import type { AgentKernel } from './kernel.ts';
import { prepareAgent } from './prepare-agent.ts';
import type { LiveAgent } from './roster.ts';
import { startAgent } from './start-agent.ts';
import { resolveType } from './steps/type.ts';

export interface SkillUse {
  skill: Skill;
  args: string;
  agentId: string | null;
  toolUseId: string;
  signal: AbortSignal;
}

export type UsedSkill =
  /** Its text, for the agent to follow, and what applies while it does. */
  | { kind: 'text'; text: string; scope: SkillScope; notes: string[] }
  /** It runs, or ran, as a separate agent. */
  | { kind: 'agent'; result: ToolResult; notes: string[] }
  | { kind: 'problem'; problem: Problem };

/**
 * Uses a skill in the name of an agent. Changes nothing about the agent itself: the caller puts the scope into force.
 */
export async function useSkill(
  agents: AgentKernel,
  world: SkillWorld & { userHome: string },
  { skill, args, agentId, toolUseId, signal }: SkillUse,
): Promise<UsedSkill> {
  const live = agents.roster.find(agentId);
  if (!live) return { kind: 'problem', problem: { kind: 'failure', message: 'This agent is not running.' } };
  const opened = await openSkill(skill, world);
  if (!opened.ok) return { kind: 'problem', problem: opened.problem };
  const { scope } = opened.value;
  const hands = skillHands(agents, live, toolUseId, world.userHome, scope);
  const { text, plain, notes } = await expandSkill(opened.value, args, hands);
  const { fork } = opened.value.skill;
  if (!fork) return { kind: 'text', text, scope, notes };
  const alone = whyNotFork(agents, live);
  if (alone) return { kind: 'text', text, scope, notes: [...notes, alone] };
  const how = { opened: opened.value, prompt: plain, fork, toolUseId, signal };
  const result = await forkSkill(agents, live, how);
  return { kind: 'agent', result, notes };
}

/** As the result of the `Skill` tool; the skill's scope begins here. */
export async function skillResult(
  agents: AgentKernel,
  world: SkillWorld & { userHome: string },
  use: SkillUse,
): Promise<ToolResult> {
  const used = await useSkill(agents, world, use);
  if (used.kind === 'problem') return errorResult(used.problem.message);
  for (const note of used.notes) agents.notice(`${use.skill.name}: ${note}.`);
  if (used.kind === 'agent') return used.result;
  agents.scopes.begin(use.agentId, used.scope);
  const { name, kind, file } = use.skill;
  const data = { success: true, commandName: name, kind, file };
  return { content: [], isError: false, notes: [used.text], data };
}

function whyNotFork({ settings }: AgentKernel, { context }: LiveAgent): string | undefined {
  return context.identity.depth >= settings.maxDepth || context.identity.source === 'fork'
    ? 'it should run as a separate agent, but this agent may not start agents, so it runs here'
    : undefined;
}

/**
 * Runs the commands and reads the files of a skill's text: as calls of the agent that uses it, with its tools and
 * rights, and with what the skill itself grants and denies.
 */
export function skillHands(
  { publish }: Pick<AgentKernel, 'publish'>,
  { context }: Pick<LiveAgent, 'context'>,
  toolUseId: string,
  userHome: string,
  scope?: SkillScope,
): SkillHands {
  let calls = 0;
  const call = async (
    name: string,
    input: Record<string, unknown>,
    variables?: Readonly<Record<string, string>>,
  ): Promise<ToolResult> => {
    const id = `${toolUseId}-${++calls}`;
    const { callAs } = await import('../loop/call-as.ts');
    const permissions = withScope(context.permissions, scope);
    const running = callAs({ ...context, permissions }, { type: 'tool_use', id, name, input }, variables);
    for (;;) {
      const step = await running.next();
      if (step.done) return step.value;
      if (concernsPeople(step.value)) publish(step.value);
    }
  };
  const { directory } = context.hands;
  return {
    cwd: directory.current,
    userHome,
    async run(command, variables) {
      const before = directory.current;
      const result = await call('Bash', { command }, variables);
      // Reading a skill's text does not change the reader's directory.
      if (directory.current !== before) directory.move(before);
      return result;
    },
    read: (path) => call('Read', { file_path: path }),
  };
}

/** The calls themselves are part of the skill's use; questions and denials are published. */
function concernsPeople({ type }: AgentEvent): boolean {
  return type === 'question_asked' || type === 'question_answered' || type === 'permission_denied';
}

interface SkillFork {
  opened: OpenSkill;
  prompt: string;
  fork: NonNullable<Skill['fork']>;
  toolUseId: string;
  signal: AbortSignal;
}

/** A skill as a separate agent (`context: fork`): its text is the agent's task, and its rules hold for that agent. */
async function forkSkill(
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
    spawnable: parent.spawnable,
  });
  if (!found.ok || found.value.kind !== 'definition')
    return errorResult(
      `${skill.name} runs as an agent of type ${fork.agent}: ${found.ok ? 'no such type' : found.problem.message}`,
    );
  const background = fork.background && settings.background;
  const request = {
    toolUseId,
    description: `/${skill.name}`,
    prompt,
    isLabelled: true,
    background,
    model: skill.model,
    effort: skill.effort,
    isolation: 'shared' as const,
    type: narrow(found.value.definition, skill),
  };
  const begun = await prepareAgent(agents, parent, request, { signal }, (spec) => {
    const { model: _, effort: __, ...others } = scope;
    scopes.begin(spec.id, others);
    return { spec, task: startAgent(agents, spec) };
  });
  if (!begun.ok) return errorResult(begun.problem.message);
  const { spec, task } = begun.value;
  if (background) return launchedResult(spec, prompt, task.outputFile, false);
  return waitForAgent(agents, task, spec, prompt, { signal });
}

/** Never more than the type has: the tools that it denies are taken away as well. */
function narrow(definition: AgentDefinition, { disallowedTools }: Skill): AgentDefinition {
  const whole = disallowedTools.filter((rule) => !rule.includes('('));
  return { ...definition, disallowedTools: [...definition.disallowedTools, ...whole] };
}
