import type { AgentKernel, AgentStep } from '../agents/kernel.ts';
import { skillHands } from '../agents/skill-hands.ts';
import type { CommandEntry, CommandSource } from '../knowledge/command-source.ts';
import type { Skill } from '../knowledge/skill.ts';
import type { UseSkill } from '../knowledge/skill-tool.ts';
import { ok } from '../lib/result.ts';
import type { Rule, Tool, UserBlock } from '../protocol/index.ts';
import type { Kernel } from './kernel.ts';
import type { SessionFeature } from './opening.ts';
import { skillsSection } from './render-system.ts';
import type { SessionMcp } from './session-mcp.ts';
import type { LeadPermissions } from './settle-permissions.ts';
import type { SessionSkills } from './settle-skills.ts';
import { SlashCommands } from './slash-commands.ts';

/** What a person types besides plain text, and the skills that a model loads. */
export interface Prompts {
  /** The slash commands there are now. */
  commands(): CommandEntry[];
  /** The names of the skills. */
  skillNames: readonly string[];
  /** A person's prompt as the agent reads it: commands in full, and what it names with `@path` beside it. */
  read(content: UserBlock[], signal: AbortSignal): Promise<UserBlock[]>;
}

export function skillUse(
  skills: SessionSkills,
  { agents }: { agents: AgentKernel },
  { mcp }: { mcp: SessionMcp },
  { permissions }: { permissions: LeadPermissions },
): SessionFeature<Prompts> {
  return {
    name: 'skills and slash commands',
    async open(kernel) {
      const { options, place } = kernel;
      const sources: CommandSource[] = [mcp.commands, ...(options.commandSources ?? [])];
      const slash = new SlashCommands(skills, agents, sources, (text) => place.secrets.hide(text));
      return {
        commands: () => slash.list(),
        skillNames: skills.skills.flatMap(({ kind, name }) => (kind === 'skill' ? [name] : [])),
        read: (content, signal) => readPrompt(kernel, agents, slash, content, signal),
        agentSteps: [fillSkills(kernel, skills)],
        drivingTools: await makeSkillTool(skills.skills, permissions.startRules, async (use) => {
          const { skillResult } = await import('../agents/use-skill.ts');
          return skillResult(agents, skills.world, use);
        }),
      };
    },
  };
}

/**
 * Completes the prompt of an agent that is about to begin with what the commands in its skills print. They run in its own
 * name: with its tools, its role and its mode, and with its hooks.
 */
function fillSkills({ place }: Kernel, { preloaded, world }: SessionSkills): AgentStep {
  return {
    name: 'skills',
    async complete(spec, agents, signal) {
      const preload = spec.definition && preloaded.get(spec.definition.name);
      if (!preload || preload.runnable.size === 0 || spec.earlier) return ok(undefined);
      const at = spec.system.indexOf(skillsSection(preload.sections, place));
      const live = { context: spec.makeContext(signal) };
      const hands = skillHands(agents, live, `start-${spec.id}`, place.userHome);
      const { runPreloaded } = await import('../knowledge/preload-skills.ts');
      const filled = await runPreloaded(preload, world, hands);
      if (at >= 0) spec.system[at] = skillsSection(filled, place);
      return ok(undefined);
    },
  };
}

/** The tool that loads skills, where there is one to load. */
export async function makeSkillTool(
  skills: readonly Skill[],
  rules: readonly Rule[],
  use: UseSkill,
): Promise<Tool[]> {
  if (skills.length === 0) return [];
  const { skillTool } = await import('../knowledge/skill-tool.ts');
  const tool = skillTool(skills, rules, use);
  return tool ? [tool as Tool] : [];
}

async function readPrompt(
  kernel: Kernel,
  agents: AgentKernel,
  slash: SlashCommands,
  content: UserBlock[],
  signal: AbortSignal,
): Promise<UserBlock[]> {
  const read = await slash.read(content, signal);
  const names = content.some((block) => block.type === 'text' && block.text.includes('@'));
  // A command has read what it names.
  if (!names || read.length > content.length) return read;
  const { attachNamedFiles } = await import('./attach-files.ts');
  return [...read, ...(await attachNamedFiles(kernel, agents, content))];
}
