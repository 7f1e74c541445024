import type { AgentKernel, AgentStep } from '../../agents/kernel.ts';
import type { CommandEntry, CommandSource } from '../../knowledge/command-source.ts';
import type { NamedFile } from '../../knowledge/named-files.ts';
import type { Skill } from '../../knowledge/skill.ts';
import type { UseSkill } from '../../knowledge/skill-tool.ts';
import { ok, type Result } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import {
  type AgentEvent,
  filesMark,
  type PromptRefusal,
  type Rule,
  type Tool,
  textOf,
  typedBlocks,
  type UserBlock,
} from '../../protocol/index.ts';
import type { Kernel } from '../kernel.ts';
import type { SessionFeature } from '../opening.ts';
import type { LeadPermissions } from '../permissions.ts';
import type { SessionReel } from '../tape.ts';
import { skillsSection } from './knowledge.ts';
import type { SessionSkills } from './skills.ts';
import { SlashCommands } from './slash-commands.ts';

/** Slash commands, skills and file mentions in a user's prompt, and the skills that a model loads. */
export interface Prompts {
  /** The slash commands available now. */
  commands(): CommandEntry[];
  /** The names of the skills. */
  skillNames: readonly string[];
  /**
   * A user's prompt as the agent reads it: with commands expanded, and the files that it names with `@path` added, unless it is
   * to be read as it is.
   */
  read(
    content: UserBlock[],
    signal: AbortSignal,
    isVerbatim: boolean,
  ): Promise<Result<UserBlock[], PromptRefusal>>;
}

export function skillUseFeature(
  skills: SessionSkills,
  agents: AgentKernel,
  given: readonly CommandSource[],
  permissions: LeadPermissions,
): SessionFeature<Prompts> {
  return {
    name: 'skills and slash commands',
    async open(kernel) {
      const { options, place } = kernel;
      const sources: CommandSource[] = [...given, ...(options.commandSources ?? [])];
      const slash = new SlashCommands(skills, agents, sources, (text) => place.secrets.hide(text));
      return {
        commands: () => slash.list(),
        skillNames: skills.skills.flatMap(({ kind, name }) => (kind === 'skill' ? [name] : [])),
        read: async (content, signal, isVerbatim) => {
          slash.endScope();
          return isVerbatim ? ok(content) : readPrompt(kernel, agents, slash, content, signal);
        },
        agentSteps: [fillSkills(kernel, skills)],
        drivingTools: await makeSkillTool(skills.skills, permissions.startRules, async (use) => {
          const { skillResult } = await import('../../agents/skills.ts');
          return skillResult(agents, skills.world, use);
        }),
      };
    },
  };
}

/**
 * Completes the prompt of an agent that is about to start with the output of the commands in its skills. They run in
 * its name: with its tools, role, mode and hooks.
 */
function fillSkills({ place }: Kernel, { preloaded, world }: SessionSkills): AgentStep {
  return {
    name: 'skills',
    async complete(spec, agents, signal) {
      const preload = spec.definition && preloaded.get(spec.definition.name);
      if (!preload || preload.runnable.size === 0 || spec.earlier) return ok(undefined);
      const at = spec.system.indexOf(skillsSection(preload.sections, place));
      const live = { context: spec.makeContext(signal) };
      const { skillHands } = await import('../../agents/skills.ts');
      const { runPreloaded } = await import('../../knowledge/preload-skills.ts');
      const filled = await runPreloaded(preload, world, (scope, index) =>
        skillHands(agents, live, `start-${spec.id}-${index}`, place.userHome, scope),
      );
      if (at >= 0) spec.system[at] = skillsSection(filled, place);
      return ok(undefined);
    },
  };
}

/** The tool that loads skills, if there are any. */
export async function makeSkillTool(
  skills: readonly Skill[],
  rules: readonly Rule[],
  use: UseSkill,
): Promise<Tool[]> {
  if (skills.length === 0) return [];
  const { skillTool } = await import('../../knowledge/skill-tool.ts');
  const tool = skillTool(skills, rules, use);
  return tool ? [tool as Tool] : [];
}

async function readPrompt(
  kernel: Kernel,
  agents: AgentKernel,
  slash: SlashCommands,
  content: UserBlock[],
  signal: AbortSignal,
): Promise<Result<UserBlock[], PromptRefusal>> {
  const read = await slash.read(content, signal);
  if (!read.ok) return read;
  const names = content.some((block) => block.type === 'text' && block.text.includes('@'));
  // A command has already read the files that it names.
  if (!names || read.value.length > content.length) return read;
  return ok([...read.value, ...(await attachNamedFiles(kernel, agents, content))]);
}

/**
 * The files that a prompt names. Which of them exist is on the tape, and so is their content: a replay reads no file.
 */
async function attachNamedFiles(
  { place, tape }: Kernel,
  agents: AgentKernel,
  content: readonly UserBlock[],
): Promise<UserBlock[]> {
  const lead = agents.roster.find(null);
  // A coordinator touches no files, and neither does an agent without the tool.
  if (!lead?.context.tools.some(({ name }) => name === 'Read')) return [];
  const { findNamedFiles, readNamedFiles } = await import('../../knowledge/named-files.ts');
  const { userHome } = place;
  const { current } = lead.context.hands.directory;
  const text = textOf(typedBlocks(content));
  const find = () => findNamedFiles(text, current, userHome);
  const found = tape ? await findOnTape(tape, find) : find();
  for (const { name, kind } of found) if (kind === 'missing') agents.publish(missingFile(name, current));
  if (!found.some(({ kind }) => kind !== 'missing')) return [];
  const { skillHands } = await import('../../agents/skills.ts');
  const hands = skillHands(agents, lead, `prompt-${agents.ids.token(12)}`, userHome);
  const { texts, images } = await readNamedFiles(found, hands);
  return [{ type: 'text', text: `${filesMark}\n\n${texts.join('\n\n')}` }, ...images];
}

function missingFile(name: string, cwd: string): AgentEvent {
  const text = `@${visibleLine(name, 200)}: no such file in ${cwd}. The prompt was sent without it.`;
  return { agentId: null, parentToolUseId: null, type: 'notice_given', level: 'warning', text };
}

async function findOnTape(reel: SessionReel, find: () => NamedFile[]): Promise<readonly NamedFile[]> {
  const seen = await reel.look('files that a prompt names', async () => JSON.stringify(find()));
  return seen === undefined ? [] : JSON.parse(seen);
}
