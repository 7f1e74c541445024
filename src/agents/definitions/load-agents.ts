import type { Problem } from '../../lib/result.ts';
import { endSentence } from '../../lib/text/text.ts';
import { throughCache } from '../../settings/definition-cache.ts';
import type { DefinitionPlacesOptions } from '../../settings/definition-places.ts';
import type { Trust } from '../../settings/trust.ts';
import type { AgentDefinition, AgentSource, BrokenAgent, ReadAgents } from '../definition.ts';
import { builtInAgents, heldTo } from './built-in.ts';
import type { GivenAgents } from './given-agents.ts';
import { type PlaceAgents, readPlaces } from './read-places.ts';

export type { BrokenAgent } from '../definition.ts';

export interface LoadAgentsOptions extends DefinitionPlacesOptions {
  /** The value of `--agents`: JSON, or the path of a file that holds it. */
  flagAgents?: string | undefined;
  /** Definitions that a program passes in. */
  agents?: GivenAgents | undefined;
  /** The parts of the repository that the user trusts; nothing unless given. */
  trust?: Trust;
  /** The coordinator's worker has only three tools. */
  simple?: boolean;
}

export interface LoadedAgents {
  /** One of each name, strongest source first. */
  definitions: AgentDefinition[];
  broken: BrokenAgent[];
  /** Definitions that a stronger one of the same name replaces. */
  shadowed: ShadowedAgent[];
}

export interface ShadowedAgent {
  name: string;
  source: AgentSource;
  file?: string;
  by: { source: AgentSource; file?: string };
}

/** Finds all definitions. It never throws: broken ones are listed, and the others are used. */
export async function loadAgents(options: LoadAgentsOptions): Promise<LoadedAgents> {
  const collected = new Collection(options);
  const places = await throughCache(
    options.home,
    'agents',
    buildCacheKey(options),
    (visited) => readPlaces(options, visited),
    options.later,
  );
  const isManaged = ({ source }: PlaceAgents) => source === 'managed';
  for (const place of places.filter(isManaged)) collected.addPlace(place);
  await addGiven(options, collected);
  for (const place of places.filter((other) => !isManaged(other))) collected.addPlace(place);
  for (const definition of builtInAgents({ simple: options.simple === true })) collected.add(definition);
  return collected.loaded;
}

/** A definition that the user named for this run and that cannot be used: a reason not to start. */
export function flagProblem({ broken }: LoadedAgents): Problem | undefined {
  const found = broken.find(({ flag }) => flag !== undefined);
  if (!found) return undefined;
  const where = found.flag === found.file ? found.flag : `${found.flag} ${found.file}`;
  return {
    kind: 'usage',
    message: `${where}${found.line === undefined ? '' : `:${found.line}`}: ${endSentence(found.reason)}`,
    hint: 'Run cadre agents to see what was found and what is wrong with it.',
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

/** Everything that the files depend on, and nothing else. */
function buildCacheKey({ cwd, root, home, userHome, ...options }: LoadAgentsOptions): unknown[] {
  const { sources, managedDirectories, additionalDirectories, pluginDirectories, judge } = options;
  const places = [sources, managedDirectories, additionalDirectories, pluginDirectories];
  return [cwd, root, home, userHome, ...places, judge?.key];
}

class Collection {
  readonly loaded: LoadedAgents = { definitions: [], broken: [], shadowed: [] };
  readonly #byName = new Map<string, AgentDefinition>();

  constructor(private readonly options: LoadAgentsOptions) {}

  addPlace({ definitions, broken }: PlaceAgents): void {
    const { trust } = this.options;
    for (const { definition, piece } of definitions)
      this.add(piece && trust?.isTrusted(piece) === true ? { ...definition, trusted: true } : definition);
    this.loaded.broken.push(...broken);
  }

  addAll(read: ReadAgents): void {
    for (const definition of read.definitions) this.add(definition);
    this.loaded.broken.push(...read.broken);
  }

  add(definition: AgentDefinition): void {
    const { name, source, file } = definition;
    const winner = this.#byName.get(name);
    if (winner) {
      this.loaded.shadowed.push({ name, ...pickOrigin({ source, file }), by: pickOrigin(winner) });
      if (source === 'built-in') this.#replace(winner, heldTo(winner, definition));
    } else {
      this.#byName.set(name, definition);
      this.loaded.definitions.push(definition);
    }
  }

  #replace(before: AgentDefinition, after: AgentDefinition): void {
    this.#byName.set(after.name, after);
    this.loaded.definitions = this.loaded.definitions.map((one) => (one === before ? after : one));
  }
}

function pickOrigin({ source, file }: { source: AgentSource; file?: string | undefined }) {
  return { source, ...(file === undefined ? {} : { file }) };
}
