import { largestText, parseFrontmatter } from '../lib/frontmatter.ts';
import { fail, ok, type Problem, type Result } from '../lib/result.ts';
import {
  baseName,
  type DefinitionPlace,
  type DefinitionPlacesOptions,
  definitionPlaces,
  pluginPrefix,
} from '../settings/definition-places.ts';
import { agentPiece } from '../settings/trust/markdown-pieces.ts';
import { pieceFile, type Trust } from '../settings/trust.ts';
import { type FindLimits, type FoundFile, findMarkdown, readSmallText } from '../workspace/find-markdown.ts';
import type { BrokenAgent, ReadAgents } from './broken.ts';
import { builtInAgents } from './built-in.ts';
import type { AgentDefinition, AgentSource } from './definition.ts';
import type { GivenAgents } from './given-agents.ts';
import { readDefinition } from './read-definition.ts';

export type { BrokenAgent } from './broken.ts';

export interface LoadAgentsOptions extends DefinitionPlacesOptions {
  /** The value of `--agents`: JSON itself, or a file that holds it. */
  flagAgents?: string;
  /** What a program gives. */
  agents?: GivenAgents;
  /** What of the repository the user trusts; nothing unless given. */
  trust?: Trust;
  /** The coordinator's worker has three tools only. */
  simple?: boolean;
}

export interface LoadedAgents {
  /** One of each name, strongest source first. */
  definitions: AgentDefinition[];
  broken: BrokenAgent[];
  /** Definitions that another one of the same name stands before. */
  shadowed: ShadowedAgent[];
}

export interface ShadowedAgent {
  name: string;
  source: AgentSource;
  file?: string;
  by: { source: AgentSource; file?: string };
}

const mostEntries = 10_000;

/** Finds every definition there is. It never throws: what is broken is listed, and the rest counts. */
export async function loadAgents(options: LoadAgentsOptions): Promise<LoadedAgents> {
  const collected = new Collection(options);
  const places = definitionPlaces('agents', options);
  const limits: FindLimits = { entries: mostEntries };
  const isManaged = ({ source }: DefinitionPlace) => source === 'managed';
  for (const place of places.filter(isManaged)) await collected.addPlace(place, limits);
  await addGiven(options, collected);
  for (const place of places.filter((other) => !isManaged(other))) await collected.addPlace(place, limits);
  for (const definition of builtInAgents({ simple: options.simple === true })) collected.add(definition);
  return collected.loaded;
}

/** What the user named for this run and cannot be used, as a reason not to start. */
export function flagProblem({ broken }: LoadedAgents): Problem | undefined {
  const found = broken.find(({ flag }) => flag !== undefined);
  if (!found) return undefined;
  const where = found.flag === found.file ? found.flag : `${found.flag} ${found.file}`;
  return {
    kind: 'usage',
    message: `${where}${found.line === undefined ? '' : `:${found.line}`}: ${found.reason}.`,
    hint: 'cadre agents lists what is found, and what is wrong with it.',
  };
}

async function addGiven(
  { flagAgents, agents, cwd }: LoadAgentsOptions,
  collected: Collection,
): Promise<void> {
  if (flagAgents === undefined && agents === undefined) return;
  const { readFlagAgents, readGivenAgents } = await import('./given-agents.ts');
  if (flagAgents !== undefined) collected.addAll(readFlagAgents(flagAgents, cwd));
  if (agents !== undefined) collected.addAll(readGivenAgents(agents, { source: 'library', file: 'agents' }));
}

class Collection {
  readonly loaded: LoadedAgents = { definitions: [], broken: [], shadowed: [] };
  readonly #byName = new Map<string, AgentDefinition>();

  constructor(private readonly options: LoadAgentsOptions) {}

  async addPlace(place: DefinitionPlace, limits: FindLimits): Promise<void> {
    const { source, plugin } = place;
    const { files, problems } = findMarkdown(place.directory, place.within, limits);
    this.loaded.broken.push(...problems.map((problem) => ({ ...problem, source })));
    const pluginName = plugin === undefined ? undefined : await this.#openPlugin(plugin);
    for (const file of files) this.addAll(await readFile(file, place, pluginName, this.options));
  }

  addAll(read: ReadAgents): void {
    for (const definition of read.definitions) this.add(definition);
    this.loaded.broken.push(...read.broken);
  }

  add(definition: AgentDefinition): void {
    const { name, source, file } = definition;
    const winner = this.#byName.get(name);
    if (winner) this.loaded.shadowed.push({ name, ...originOf({ source, file }), by: originOf(winner) });
    else {
      this.#byName.set(name, definition);
      this.loaded.definitions.push(definition);
    }
  }

  async #openPlugin(plugin: string): Promise<string> {
    const { readPluginName } = await import('../settings/plugin-name.ts');
    const name = readPluginName(plugin);
    if (name.ok) return name.value;
    this.loaded.broken.push({ ...name.problem, source: 'plugin', flag: '--plugin-dir' });
    return baseName(plugin);
  }
}

async function readFile(
  found: FoundFile,
  place: DefinitionPlace,
  pluginName: string | undefined,
  options: LoadAgentsOptions,
): Promise<ReadAgents> {
  const definition = await readAgentFile(found, place, pluginName, options);
  if (definition.ok) return { definitions: definition.value ? [definition.value] : [], broken: [] };
  const broken = { file: found.path, source: place.source, ...definition.problem };
  return { definitions: [], broken: [broken] };
}

/** Undefined is a file that is none: documentation beside the definitions. */
async function readAgentFile(
  { path, folders }: FoundFile,
  { source }: DefinitionPlace,
  pluginName: string | undefined,
  { trust, root }: LoadAgentsOptions,
): Promise<Result<AgentDefinition | undefined, { line?: number; reason: string }>> {
  const text = readSmallText(path, largestText);
  if (!text.ok) return fail({ reason: text.problem });
  const parsed = await parseFrontmatter(text.value);
  if (!parsed.ok) return parsed;
  const { hasBlock, data, body, lines, notes } = parsed.value;
  if (!hasBlock || isDocumentation(data)) return ok(undefined);
  const definition = readDefinition(data, {
    source,
    file: path,
    fallbackName: baseName(path),
    prompt: body,
    ...(pluginName === undefined ? {} : { prefix: pluginPrefix(pluginName, folders) }),
  });
  if (definition.ok) {
    const piece = source === 'project' ? agentPiece(pieceFile(root, path), data) : undefined;
    const trusted = piece !== undefined && trust?.isTrusted(piece) === true ? { trusted: true } : {};
    return ok({ ...definition.value, ...trusted, notes: [...notes, ...definition.value.notes] });
  }
  const { field, reason } = definition.problem;
  return fail({ line: lines.get(field ?? '') ?? 1, reason });
}

/** Frontmatter of some other kind: a page with a title. */
function isDocumentation(data: Readonly<Record<string, unknown>>): boolean {
  return !Object.keys(data).some((key) => /^(?:name|description|tools|model)$/i.test(key));
}

function originOf({ source, file }: { source: AgentSource; file?: string | undefined }) {
  return { source, ...(file === undefined ? {} : { file }) };
}
