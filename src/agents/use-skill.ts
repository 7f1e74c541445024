import { expandSkill } from '../knowledge/expand-skill.ts';
import { type OpenSkill, openSkill, type SkillWorld } from '../knowledge/open-skill.ts';
import type { Skill } from '../knowledge/skill.ts';
import type { SkillScope } from '../knowledge/skill-scope.ts';
import type { Problem } from '../lib/result.ts';
import { errorResult, type ToolResult, textResult } from '../protocol/index.ts';
import type { AgentKernel } from './kernel.ts';
import type { LiveAgent } from './roster.ts';
import { skillHands } from './skill-hands.ts';

export interface SkillUse {
  skill: Skill;
  args: string;
  agentId: string | null;
  toolUseId: string;
  signal: AbortSignal;
}

export type UsedSkill =
  /** Its text, for the agent to go by, and what holds while it does. */
  | { kind: 'text'; text: string; scope: SkillScope; notes: string[] }
  /** It runs as an agent of its own, or did. */
  | { kind: 'agent'; result: ToolResult; notes: string[] }
  | { kind: 'problem'; problem: Problem };

/** Uses a skill in the name of an agent. Changes nothing about the agent itself: what holds is for the caller to begin. */
export async function useSkill(
  agents: AgentKernel,
  world: SkillWorld & { userHome: string },
  { skill, args, agentId, toolUseId, signal }: SkillUse,
): Promise<UsedSkill> {
  const live = agents.roster.find(agentId);
  if (!live) return { kind: 'problem', problem: { kind: 'failure', message: 'This agent is not at work.' } };
  const opened = await openSkill(skill, world);
  if (!opened.ok) return { kind: 'problem', problem: opened.problem };
  const { text, plain, notes } = await expandSkill(
    opened.value,
    args,
    skillHands(agents, live, toolUseId, world.userHome),
  );
  const { scope } = opened.value;
  const { fork } = opened.value.skill;
  if (!fork) return { kind: 'text', text, scope, notes };
  const alone = whyNotFork(agents, live);
  if (alone) return { kind: 'text', text, scope, notes: [...notes, alone] };
  const result = await runAsAgent(agents, live, opened.value, plain, { fork, toolUseId, signal });
  return { kind: 'agent', result, notes };
}

/** As the result of the `Skill` tool; what holds from now on begins here. */
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
  return textResult(used.text, { success: true, commandName: name, kind, file });
}

function whyNotFork({ settings }: AgentKernel, { context }: LiveAgent): string | undefined {
  return context.depth >= settings.maxDepth || context.source === 'fork'
    ? 'it should run as an agent of its own, but this agent may start none; it is followed here'
    : undefined;
}

/** Loaded only for skills that ask for it. */
async function runAsAgent(
  agents: AgentKernel,
  live: LiveAgent,
  opened: OpenSkill,
  prompt: string,
  how: { fork: NonNullable<Skill['fork']>; toolUseId: string; signal: AbortSignal },
): Promise<ToolResult> {
  const { forkSkill } = await import('./fork-skill.ts');
  return forkSkill(agents, live, { opened, prompt, ...how });
}
