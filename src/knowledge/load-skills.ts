import { basename, dirname } from 'node:path';
import { RealPlaces } from '../lib/files/real-places.ts';
import { maxTextSize, type Parsed, readFrontmatter, usualText } from '../lib/frontmatter/frontmatter.ts';
import { noteVisit, throughCache, type Visited } from '../settings/definition-cache.ts';
import {
  baseName,
  type DefinitionPlace,
  type DefinitionPlacesOptions,
  definitionPlaces,
  pluginFiles,
  pluginPrefix,
} from '../settings/definition-places.ts';
import type { FileJudge } from '../workspace/file-judge.ts';
import {
  type FindLimits,
  type FoundFile,
  findMarkdown,
  type LentReader,
  readSmallText,
} from '../workspace/find-markdown.ts';
import { readSkill } from './read-skill.ts';
import type { BrokenSkill, ShadowedSkill, Skill } from './skill.ts';

export interface LoadedSkills {
  /** One of each name, sorted by name. */
  skills: Skill[];
  broken: BrokenSkill[];
  shadowed: ShadowedSkill[];
}

/** The user's before the repository's: no checkout replaces a command that the user wrote. */
const order: readonly DefinitionPlace['source'][] = ['managed', 'user', 'project', 'plugin'];
const maxEntries = 10_000;

/** Finds all skills and slash commands. It never throws: broken ones are listed, and the others are used. */
export async function loadSkills(options: DefinitionPlacesOptions): Promise<LoadedSkills> {
  return throughCache(options.home, 'skills', options, (visited) => readAll(options, visited), options.later);
}

async function readAll(options: DefinitionPlacesOptions, visited: Visited): Promise<LoadedSkills> {
  const collected = new Collection(visited, options.judge);
  const skillLimits: FindLimits = { entries: maxEntries, only: /^SKILL\.md$/i };
  const commandLimits: FindLimits = { entries: maxEntries };
  const skillPlaces = definitionPlaces('skills', options);
  const commandPlaces = definitionPlaces('commands', options);
  try {
    for (const source of order) {
      const isOfSource = (place: DefinitionPlace) => place.source === source;
      for (const place of skillPlaces.filter(isOfSource))
        await collected.addPlace('skill', place, skillLimits);
      for (const place of commandPlaces.filter(isOfSource))
        await collected.addPlace('command', place, commandLimits);
    }
  } finally {
    collected.close();
  }
  collected.loaded.skills.sort((a, b) => (a.name < b.name ? -1 : 1));
  return collected.loaded;
}

class Collection {
  readonly loaded: LoadedSkills = { skills: [], broken: [], shadowed: [] };
  readonly #byName = new Map<string, Skill>();
  readonly #plugins = new Map<string, string>();
  readonly #lent: LentReader = { buffer: Buffer.allocUnsafe(usualText), places: new RealPlaces() };

  constructor(
    private readonly visited: Visited,
    private readonly judge: FileJudge | undefined,
  ) {}

  close(): void {
    this.#lent.places.close();
  }

  async addPlace(kind: Skill['kind'], place: DefinitionPlace, limits: FindLimits): Promise<void> {
    const { source, plugin } = place;
    const found = await findFiles(kind, place, limits);
    const { files, problems } = found;
    noteVisit(this.visited, found);
    this.loaded.broken.push(...problems.map((problem) => ({ ...problem, source })));
    if (files.length === 0) return;
    const pluginName = plugin === undefined ? undefined : await this.#openPlugin(plugin);
    for (const file of files) {
      const pending = this.#addFile(kind, file, place, pluginName);
      if (pending) await pending;
    }
  }

  /** Returns a promise only if a link leads to the file, or a parser must be loaded first. */
  #addFile(
    kind: Skill['kind'],
    file: FoundFile,
    place: DefinitionPlace,
    pluginName: string | undefined,
  ): Promise<void> | undefined {
    if (kind === 'skill' && file.folders.length === 0)
      return void this.#leaveOut(file, place, 'expected skills/<name>/SKILL.md');
    const { path, real } = file;
    const refusal = this.judge?.judge({ path, real, base: place.within });
    const next = (reason: string | undefined) =>
      reason === undefined
        ? this.#readFile(kind, file, place, pluginName)
        : void this.loaded.broken.push({ file: path, source: place.source, reason, isRefused: true });
    return refusal instanceof Promise ? refusal.then(next) : next(refusal);
  }

  #readFile(
    kind: Skill['kind'],
    file: FoundFile,
    place: DefinitionPlace,
    pluginName: string | undefined,
  ): Promise<void> | undefined {
    const text = readSmallText(file.real, maxTextSize, this.#lent, place.source === 'user');
    if (!text.ok) return void this.#leaveOut(file, place, text.problem);
    const parsed = readFrontmatter(text.value);
    const finish = (read: Parsed) => this.#addParsed(kind, file, place, pluginName, read);
    return parsed instanceof Promise ? parsed.then(finish) : void finish(parsed);
  }

  #addParsed(
    kind: Skill['kind'],
    file: FoundFile,
    place: DefinitionPlace,
    pluginName: string | undefined,
    parsed: Parsed,
  ): void {
    if (!parsed.ok) return void this.#leaveOut(file, place, parsed.problem.reason, parsed.problem.line);
    const { path, folders } = file;
    const { source, within } = place;
    const { data, body, lines, notes } = parsed.value;
    if (!/\S/.test(body))
      return void this.#leaveOut(file, place, 'there is no text below the frontmatter', 1);
    const skill = readSkill(data, body, {
      kind,
      source,
      file: path,
      within,
      fallbackName: kind === 'skill' ? basename(dirname(path)) : baseName(path),
      prefix: buildPrefix(kind, folders, pluginName),
    });
    if (skill.ok) this.#add({ ...skill.value, notes: [...notes, ...skill.value.notes] });
    else this.#leaveOut(file, place, skill.problem.reason, lines.get(skill.problem.field ?? '') ?? 1);
  }

  #leaveOut({ path }: FoundFile, { source }: DefinitionPlace, reason: string, line?: number): void {
    this.loaded.broken.push({ file: path, source, reason, line });
  }

  #add(skill: Skill): void {
    const { name, source, file } = skill;
    const winner = this.#byName.get(name);
    if (winner)
      this.loaded.shadowed.push({ name, source, file, by: { source: winner.source, file: winner.file } });
    else {
      this.#byName.set(name, skill);
      this.loaded.skills.push(skill);
    }
  }

  async #openPlugin(plugin: string): Promise<string> {
    const known = this.#plugins.get(plugin);
    if (known !== undefined) return known;
    const { readPluginName } = await import('../settings/plugin-name.ts');
    for (const path of pluginFiles(plugin)) this.visited.paths.add(path);
    const read = readPluginName(plugin);
    if (!read.ok) this.loaded.broken.push({ ...read.problem, source: 'plugin', flag: '--plugin-dir' });
    const name = read.ok ? read.value : baseName(plugin);
    this.#plugins.set(plugin, name);
    return name;
  }
}

async function findFiles(
  kind: Skill['kind'],
  { directory, within, plugin }: DefinitionPlace,
  limits: FindLimits,
) {
  if (plugin === undefined) return findMarkdown(directory, within, limits);
  const { findPluginFiles } = await import('../settings/plugin-parts.ts');
  return findPluginFiles(plugin, kind === 'skill' ? 'skills' : 'commands', limits);
}

/** Folders name commands, `frontend:component`; skills are named by their own folder alone. */
function buildPrefix(
  kind: Skill['kind'],
  folders: readonly string[],
  pluginName: string | undefined,
): string {
  const own = kind === 'command' ? folders : [];
  if (pluginName !== undefined) return pluginPrefix(pluginName, own);
  return own.map((folder) => `${folder.replaceAll(':', '-')}:`).join('');
}
