import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { AgentDefinition } from '../../agents/definition.ts';
import type { Memory } from '../../knowledge/memory.ts';
import type { SkillWorld } from '../../knowledge/open-skill.ts';
import type { PathNote } from '../../knowledge/path-notes.ts';
import type { Preload } from '../../knowledge/preload-skills.ts';
import { renderMemoryFile } from '../../knowledge/prompt.ts';
import type { BrokenSkill, Skill } from '../../knowledge/skill.ts';
import { SkillScopes } from '../../knowledge/skill-scope.ts';
import { visibleLine } from '../../lib/text/text.ts';
import type { Tool } from '../../protocol/index.ts';
import {
  type DefinitionPlacesOptions,
  definitionPlaces,
  pluginFiles,
} from '../../settings/definition-places.ts';
import type { FileJudge } from '../../workspace/file-judge.ts';
import { isWithin } from '../../workspace/paths.ts';
import { resolveRealPath } from '../../workspace/real-path.ts';
import { type AgentDefinitions, nameRefused } from '../agents/definitions.ts';
import { noteUnknownNames } from '../agents/unknown-names.ts';
import type { Kernel } from '../kernel.ts';
import type { SessionFeature } from '../opening.ts';
import type { SessionOptions } from '../options.ts';
import type { Surroundings } from '../surroundings.ts';

/** The skills of a session, and what applies to each agent while it uses one. */
export interface SessionSkills {
  skills: readonly Skill[];
  world: SkillWorld & { userHome: string };
  scopes: SkillScopes;
  /** The text of the skills that an agent starts with, and the names of missing ones. */
  preloaded: Preloaded;
}

export type Preloaded = ReadonlyMap<string, Preload>;

/** Finds the skills. Where there are none, nothing is loaded, read or shown for them. */
export function skillFeature({
  definitions,
  judge,
  rules,
}: Pick<AgentDefinitions, 'definitions' | 'judge' | 'rules'>): SessionFeature<SessionSkills> {
  return {
    name: 'skills',
    async open({ id, options, place, trust }) {
      const { cwd, root, userHome } = place;
      const world = { root, cwd, userHome, trust, judge, sessionId: id };
      const found = await findSkills(options, place, judge);
      return {
        ...{ skills: found.skills, world, scopes: new SkillScopes() },
        preloaded: options.disableSlashCommands ? new Map() : await preload(definitions, found.all, world),
        notices: [
          ...found.notices,
          ...noteUnknownNames(
            rules,
            'Skill',
            found.all.map(({ name }) => name),
          ),
        ],
      };
    },
  };
}

/** Where this session looks for definitions. */
export function listDefinitionPlaces(options: SessionOptions, around: Surroundings): DefinitionPlacesOptions {
  const { cwd, root, home, userHome } = around;
  const absolute = (paths: string[] = []) => paths.map((path) => resolve(cwd, path));
  return {
    ...{ cwd, root, home, userHome },
    later: (act) => void around.atEnd.push(act),
    sources: options.settingSources,
    additionalDirectories: absolute(options.additionalDirectories),
    pluginDirectories: absolute(options.pluginDirectories),
  };
}

/**
 * Directories outside the workspace with skills of the user and of administrators, and plugins. Their texts name scripts and
 * notes beside them, which are read without asking, inside the sandbox as well.
 */
export function listGivenPlaces(options: SessionOptions, around: Surroundings): string[] {
  const places = listDefinitionPlaces(options, around);
  const skills = definitionPlaces('skills', places).filter(
    ({ source }) => source === 'user' || source === 'managed',
  );
  const plugins = (places.pluginDirectories ?? []).filter((directory) => isOnlyPlugin(directory, around));
  return [...skills.map(({ directory }) => directory), ...plugins];
}

/** Not a home, or what is above it: those hold more than a plugin, whatever manifest lies in them. */
function isOnlyPlugin(directory: string, { home, userHome }: Surroundings): boolean {
  const real = resolveRealPath(directory);
  const kept = [userHome, home, join(userHome, '.claude')].map(resolveRealPath);
  return pluginFiles(directory).some(existsSync) && !kept.some((place) => isWithin(place, real));
}

/** `all` are those that agents may start with, `skills` those that the model is shown. */
export async function findSkills(
  options: SessionOptions,
  place: Surroundings,
  judge?: FileJudge,
): Promise<{ skills: readonly Skill[]; all: readonly Skill[]; notices: string[] }> {
  const places = { ...listDefinitionPlaces(options, place), judge };
  const isOff = options.disableSlashCommands === true;
  const { skills: all, broken } = isOff || !hasAny(places) ? none : await load(places);
  return {
    skills: narrowed(all, options.skills),
    all,
    notices: [...nameRefused(broken), ...brokenNotice(broken), ...missingNotice(all, options.skills)],
  };
}

async function preload(
  definitions: readonly AgentDefinition[],
  all: readonly Skill[],
  world: SkillWorld,
): Promise<Preloaded> {
  const wanted = definitions.filter((definition) => definition.skills.length > 0);
  if (wanted.length === 0) return new Map();
  const { preloadSkills } = await import('../../knowledge/preload-skills.ts');
  return preloadSkills(wanted, all, world);
}

const none: { skills: Skill[]; broken: BrokenSkill[] } = { skills: [], broken: [] };

function hasAny(places: DefinitionPlacesOptions): boolean {
  return [...definitionPlaces('skills', places), ...definitionPlaces('commands', places)].some(
    ({ directory }) => existsSync(directory),
  );
}

async function load(places: DefinitionPlacesOptions) {
  const { loadSkills } = await import('../../knowledge/load-skills.ts');
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
    `Unknown skills in the skills option: ${visibleLine(missing.join(', '), 300)}. Run cadre skills to list the available ones.`,
  ];
}

function brokenNotice(broken: readonly BrokenSkill[]): string[] {
  const count = broken.filter(({ isRefused }) => !isRefused).length;
  if (count === 0) return [];
  const files = count === 1 ? 'One skill or command' : `${count} skills and commands`;
  return [
    `${files} could not be read and ${count === 1 ? 'is' : 'are'} ignored. Run cadre skills to see why.`,
  ];
}

/** The note about skills for certain files, added when one of these files is first worked on. */
function skillNotes(skills: readonly Skill[]): PathNote[] {
  return skills
    .filter((skill) => skill.paths.length > 0 && skill.modelInvocable)
    .map(({ name, description, paths, file }) => ({
      patterns: paths,
      file,
      text: `The skill ${name} is for files like this one (load it with Skill): ${description.slice(0, 500)}`,
    }));
}

/** Makes tools add notes about the files that they touch and the directories that they work in. */
export async function openPathNotes(
  { place, events, roster }: Pick<Kernel, 'place' | 'events' | 'roster'>,
  { byPath, files, options: memory }: Memory,
  known: readonly Skill[],
): Promise<(tool: Tool) => Tool> {
  const notes = [
    ...byPath.map((rule) => ({
      patterns: rule.patterns,
      file: rule.path,
      text: renderMemoryFile(rule),
    })),
    ...skillNotes(known),
  ];
  const { PathNotes, withPathNotes } = await import('../../knowledge/path-notes.ts');
  const { DirectoryMemory } = await import('../../knowledge/directory-memory.ts');
  const directories = new DirectoryMemory(memory, files, (text) => events.noticeOnce('warning', text));
  const takesMemory = (agentId: string | null) => roster.find(agentId)?.omitsMemory !== true;
  const given = new PathNotes(notes, place.root, directories, takesMemory);
  return (tool) => withPathNotes(tool, given);
}
