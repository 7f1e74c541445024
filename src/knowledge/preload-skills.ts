import { boundText, visible } from '../lib/text.ts';
import { labelled } from './label.ts';
import { openSkill, type SkillWorld } from './open-skill.ts';
import type { Skill } from './skill.ts';

const largestSkill = 60_000;

/**
 * The texts that agents have in their prompts from the start, by the agents' names. They are read once, when the session
 * begins: an agent's prompt does not change between its runs. Commands in them do not run; the agent sees them.
 */
export async function preloadSkills(
  agents: readonly { name: string; skills: readonly string[] }[],
  skills: readonly Skill[],
  world: SkillWorld,
): Promise<Map<string, { sections: string[]; missing: string[] }>> {
  const texts = new Map<string, string | undefined>();
  const read = async (skill: Skill): Promise<string | undefined> => {
    if (!texts.has(skill.name)) texts.set(skill.name, await render(skill, world));
    return texts.get(skill.name);
  };
  const preloaded = new Map<string, { sections: string[]; missing: string[] }>();
  for (const agent of agents) {
    const sections: string[] = [];
    const missing: string[] = [];
    for (const name of new Set(agent.skills)) {
      const skill = find(name, agent.name, skills);
      const text = skill?.modelInvocable ? await read(skill) : undefined;
      if (text === undefined) missing.push(name);
      else sections.push(text);
    }
    preloaded.set(agent.name, { sections, missing });
  }
  return preloaded;
}

/** An agent of a plugin may leave out the plugin's name. */
function find(name: string, agent: string, skills: readonly Skill[]): Skill | undefined {
  const plugin = agent.includes(':') ? `${agent.split(':')[0]}:${name}` : undefined;
  return skills.find((skill) => skill.name === name) ?? skills.find((skill) => skill.name === plugin);
}

async function render(skill: Skill, world: SkillWorld): Promise<string | undefined> {
  const opened = await openSkill(skill, world);
  if (!opened.ok) return undefined;
  const { name, source, file } = skill;
  const from = source === 'project' ? 'repository' : source;
  return labelled('skill', { name, from, file }, boundText(visible(opened.value.body), largestSkill));
}
