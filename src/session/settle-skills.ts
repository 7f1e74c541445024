import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { AgentDefinition } from '../agents/definition.ts';
import type { AgentServices } from '../agents/services.ts';
import type { SkillWorld } from '../knowledge/open-skill.ts';
import type { PathNote } from '../knowledge/path-notes.ts';
import type { Preload } from '../knowledge/preload-skills.ts';
import type { BrokenSkill, Skill } from '../knowledge/skill.ts';
import { SkillScopes } from '../knowledge/skill-scope.ts';
import { visibleLine } from '../lib/text.ts';
import type { Rule, Tool } from '../protocol/index.ts';
import { type DefinitionPlacesOptions, definitionPlaces } from '../settings/definition-places.ts';
import type { Trust } from '../settings/trust.ts';
import type { SessionOptions } from './options.ts';
import type { Surroundings } from './surroundings.ts';

/** The skills and slash commands of a session. */
export interface SettledSkills {
  skills: readonly Skill[];
  world: SkillWorld & { userHome: string };
  scopes: SkillScopes;
  /** The tool that loads them, where there is one to load. It works once `bind` was called. */
  makeTool(rules: readonly Rule[]): Promise<Tool[]>;
  /** Texts that stand in the prompt of agents which name them, and the names of those that are missing. */
  preload(definitions: readonly AgentDefinition[]): Promise<Preloaded>;
  bind(services: AgentServices): void;
  services(): AgentServices;
  notices: string[];
}

export type Preloaded = ReadonlyMap<string, Preload>;

/** Where definitions are looked for in this session. */
export function placesOf(options: SessionOptions, around: Surroundings): DefinitionPlacesOptions {
  const { cwd, root, home, userHome } = around;
  const absolute = (paths: string[] = []) => paths.map((path) => resolve(cwd, path));
  return {
    ...{ cwd, root, home, userHome },
    later: (act) => void around.atEnd.push(act),
    ...(options.settingSources ? { sources: options.settingSources } : {}),
    additionalDirectories: absolute(options.additionalDirectories),
    pluginDirectories: absolute(options.pluginDirectories),
  };
}

/** Finds the skills there are. Where there are none nothing is loaded, read or shown for them. */
export async function settleSkills(
  options: SessionOptions,
  around: Surroundings,
  trust: Trust,
): Promise<SettledSkills> {
  const { cwd, root, userHome } = around;
  const places = placesOf(options, around);
  const isOff = options.disableSlashCommands === true;
  const { skills: all, broken } = isOff || !hasAny(places) ? none : await load(places);
  const skills = narrowed(all, options.skills);
  let bound: AgentServices | undefined;
  const services = () => {
    if (!bound) throw new Error('skills are not wired yet');
    return bound;
  };
  const world = { root, cwd, userHome, trust };
  return {
    skills,
    world,
    scopes: new SkillScopes(),
    async makeTool(rules) {
      if (skills.length === 0) return [];
      const { skillTool } = await import('../knowledge/skill-tool.ts');
      const tool = skillTool(skills, rules, async (use) => {
        const { skillResult } = await import('../agents/use-skill.ts');
        return skillResult(services(), world, use);
      });
      return tool ? [tool as Tool] : [];
    },
    async preload(definitions) {
      const wanted = definitions.filter((definition) => definition.skills.length > 0);
      if (wanted.length === 0 || isOff) return new Map();
      const { preloadSkills } = await import('../knowledge/preload-skills.ts');
      return preloadSkills(wanted, all, world);
    },
    bind(given) {
      bound = given;
    },
    services,
    notices: [...brokenNotice(broken.length), ...missingNotice(all, options.skills)],
  };
}

const none: { skills: Skill[]; broken: BrokenSkill[] } = { skills: [], broken: [] };

function hasAny(places: DefinitionPlacesOptions): boolean {
  return [...definitionPlaces('skills', places), ...definitionPlaces('commands', places)].some(
    ({ directory }) => existsSync(directory),
  );
}

async function load(places: DefinitionPlacesOptions) {
  const { loadSkills } = await import('../knowledge/load-skills.ts');
  return loadSkills(places);
}

function narrowed(skills: readonly Skill[], named: readonly string[] | undefined): readonly Skill[] {
  if (!named) return skills;
  return skills.map((skill) => (named.includes(skill.name) ? skill : { ...skill, modelInvocable: false }));
}

function missingNotice(skills: readonly Skill[], named: readonly string[] = []): string[] {
  const missing = named.filter((name) => !skills.some((skill) => skill.name === name));
  if (missing.length === 0) return [];
  return [
    `No such skill to be shown: ${visibleLine(missing.join(', '), 300)}; cadre skills lists those there are.`,
  ];
}

function brokenNotice(count: number): string[] {
  if (count === 0) return [];
  const files = count === 1 ? 'One skill or command' : `${count} skills and commands`;
  return [`${files} could not be read and ${count === 1 ? 'is' : 'are'} left out; cadre skills says why.`];
}

/** What is said of skills that belong to certain files, when one of these is first worked on. */
export function skillNotes(skills: readonly Skill[]): PathNote[] {
  return skills
    .filter((skill) => skill.paths.length > 0 && skill.modelInvocable)
    .map(({ name, description, paths, file }) => ({
      patterns: paths,
      file,
      text: `The skill ${name} is for files like this one (load it with Skill): ${description.slice(0, 500)}`,
    }));
}
