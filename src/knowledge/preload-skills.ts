import { boundText, visible } from '../lib/text/text.ts';
import { splitInlineShell } from '../settings/trust/markdown-pieces.ts';
import { expandSkill, type SkillHands } from './expand-skill.ts';
import { labelled } from './label.ts';
import { openSkill, type SkillWorld } from './open-skill.ts';
import type { Skill } from './skill.ts';
import type { SkillScope } from './skill-scope.ts';
import { fillTextPlaces } from './text-places.ts';

const maxSkillSize = 60_000;

/** The skills of a type of agent. */
export interface Preload {
  /** Their texts, in the order of their names, with a note in place of each command that was not run. */
  sections: string[];
  /** Those whose commands may run once there is an agent to run them for, by their index in `sections`. */
  runnable: ReadonlyMap<number, Skill>;
  missing: string[];
}

/**
 * The skill texts that agents have in their prompts from the start, by the agents' names. They are read once, when the
 * session begins. Their commands do not run here, since there is no agent yet to judge them by.
 */
export async function preloadSkills(
  agents: readonly { name: string; skills: readonly string[] }[],
  skills: readonly Skill[],
  world: SkillWorld,
): Promise<Map<string, Preload>> {
  const texts = new Map<string, Rendered | undefined>();
  const read = async (skill: Skill): Promise<Rendered | undefined> => {
    if (!texts.has(skill.name)) texts.set(skill.name, await render(skill, world));
    return texts.get(skill.name);
  };
  const preloaded = new Map<string, Preload>();
  for (const agent of agents) {
    const sections: string[] = [];
    const missing: string[] = [];
    const runnable = new Map<number, Skill>();
    for (const name of new Set(agent.skills)) {
      const skill = find(name, agent.name, skills);
      const found = skill?.modelInvocable ? await read(skill) : undefined;
      if (!skill || !found) missing.push(name);
      else {
        if (found.mayRun) runnable.set(sections.length, skill);
        sections.push(found.text);
      }
    }
    preloaded.set(agent.name, { sections, runnable, missing });
  }
  return preloaded;
}

/** An agent of a plugin may leave out the plugin's name. */
function find(name: string, agent: string, skills: readonly Skill[]): Skill | undefined {
  const plugin = agent.includes(':') ? `${agent.split(':')[0]}:${name}` : undefined;
  return skills.find((skill) => skill.name === name) ?? skills.find((skill) => skill.name === plugin);
}

interface Rendered {
  text: string;
  /** It has commands, and they may run. */
  mayRun: boolean;
}

async function render(skill: Skill, world: SkillWorld): Promise<Rendered | undefined> {
  const opened = await openSkill(skill, world);
  if (!opened.ok) return undefined;
  const { body, mayRun, places } = opened.value;
  const parts = splitInlineShell(body);
  const text = parts
    .map((part) =>
      'text' in part
        ? fillTextPlaces(part.text, places)
        : notRun(fillTextPlaces(part.command, places), mayRun),
    )
    .join('');
  return {
    text: labelSkill(skill, boundText(visible(text), maxSkillSize)),
    mayRun: mayRun && parts.length > 1,
  };
}

function notRun(command: string, isTrusted: boolean): string {
  const why = isTrusted ? '' : ' because the file is not trusted';
  return `[This command was not run${why}: ${command}]`;
}

/**
 * The same texts with the output of their commands, for an agent that is about to start: each is judged as a call of
 * this agent, and of the file as it is now, as when the agent itself loads the skill.
 */
export async function runPreloaded(
  { sections, runnable }: Preload,
  world: SkillWorld,
  openHands: (scope: SkillScope, index: number) => SkillHands,
): Promise<string[]> {
  const filled = [...sections];
  for (const [index, skill] of runnable) {
    const opened = await openSkill(skill, world);
    if (!opened.ok || !opened.value.mayRun) continue;
    const hands = openHands(opened.value.scope, index);
    filled[index] = boundText((await expandSkill(opened.value, '', hands)).text, maxSkillSize);
  }
  return filled;
}

function labelSkill({ name, source, file }: Skill, text: string): string {
  return labelled('cadre-skill', { name, from: source === 'project' ? 'repository' : source, file }, text);
}
