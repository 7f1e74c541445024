import { RealPlaces } from '../../lib/files/real-places.ts';
import { maxTextSize, type Parsed, readFrontmatter, usualText } from '../../lib/frontmatter/frontmatter.ts';
import { fail, ok, type Result } from '../../lib/result.ts';
import { noteVisit, type Visited } from '../../settings/definition-cache.ts';
import {
  baseName,
  type DefinitionPlace,
  type DefinitionPlacesOptions,
  definitionPlaces,
  pluginFiles,
  pluginPrefix,
} from '../../settings/definition-places.ts';
import { agentPiece } from '../../settings/trust/markdown-pieces.ts';
import type { TrustPiece } from '../../settings/trust/piece.ts';
import { pieceFile } from '../../settings/trust.ts';
import {
  type FindLimits,
  type FoundFile,
  findMarkdown,
  type LentReader,
  readSmallText,
} from '../../workspace/find-markdown.ts';
import type { AgentDefinition, BrokenAgent } from '../definition.ts';
import { readDefinition } from './read-definition.ts';

/** The content of one place, as plain data. Trust is not part of it: that is checked at every start. */
export interface PlaceAgents {
  source: DefinitionPlace['source'];
  definitions: ReadAgent[];
  broken: BrokenAgent[];
}

interface ReadAgent {
  definition: AgentDefinition;
  piece?: TrustPiece;
}

const maxEntries = 10_000;

/** Reads the files of every place, strongest first. */
export async function readPlaces(options: DefinitionPlacesOptions, visited: Visited): Promise<PlaceAgents[]> {
  const limits: FindLimits = { entries: maxEntries };
  const read: PlaceAgents[] = [];
  const lent: LentReader = { buffer: Buffer.allocUnsafe(usualText), places: new RealPlaces() };
  try {
    for (const place of definitionPlaces('agents', options))
      read.push(await readPlace(place, limits, options, visited, lent));
    return read;
  } finally {
    lent.places.close();
  }
}

async function readPlace(
  place: DefinitionPlace,
  limits: FindLimits,
  { root, judge }: DefinitionPlacesOptions,
  visited: Visited,
  lent: LentReader,
): Promise<PlaceAgents> {
  const { source, plugin } = place;
  const found = await findFiles(place, limits);
  noteVisit(visited, found);
  const broken: BrokenAgent[] = found.problems.map((problem) => ({ ...problem, source }));
  const pluginName = plugin === undefined ? undefined : await openPlugin(plugin, broken, visited);
  const definitions: ReadAgent[] = [];
  for (const file of found.files) {
    const { path, real } = file;
    const refusal = judge?.judge({ path, real, base: place.within });
    const reason = refusal instanceof Promise ? await refusal : refusal;
    if (reason !== undefined) {
      broken.push({ file: path, source, reason, isRefused: true });
      continue;
    }
    const reading = readAgentFile(file, place, pluginName, root, lent);
    const read = reading instanceof Promise ? await reading : reading;
    if (!read.ok) broken.push({ file: file.path, source, ...read.problem });
    else if (read.value) definitions.push(read.value);
  }
  return { source, definitions, broken };
}

async function findFiles({ directory, within, plugin }: DefinitionPlace, limits: FindLimits) {
  if (plugin === undefined) return findMarkdown(directory, within, limits);
  return (await import('../../settings/plugin-parts.ts')).findPluginFiles(plugin, 'agents', limits);
}

async function openPlugin(plugin: string, broken: BrokenAgent[], visited: Visited): Promise<string> {
  const { readPluginName } = await import('../../settings/plugin-name.ts');
  for (const path of [plugin, ...pluginFiles(plugin)]) visited.paths.add(path);
  const name = readPluginName(plugin);
  if (name.ok) return name.value;
  broken.push({ ...name.problem, source: 'plugin', flag: '--plugin-dir' });
  return baseName(plugin);
}

/** Undefined for a file that is not a definition: documentation beside the definitions. */
type FileRead = Result<ReadAgent | undefined, { line?: number; reason: string }>;

/** Returns a promise only if a parser must be loaded first. */
function readAgentFile(
  file: FoundFile,
  place: DefinitionPlace,
  pluginName: string | undefined,
  root: string,
  lent: LentReader,
): FileRead | Promise<FileRead> {
  const text = readSmallText(file.real, maxTextSize, lent, place.source === 'user');
  if (!text.ok) return fail({ reason: text.problem });
  const parsed = readFrontmatter(text.value);
  const finish = (read: Parsed) => readParsed(file, place, pluginName, root, read);
  return parsed instanceof Promise ? parsed.then(finish) : finish(parsed);
}

function readParsed(
  { path, folders }: FoundFile,
  { source, plugin }: DefinitionPlace,
  pluginName: string | undefined,
  root: string,
  parsed: Parsed,
): FileRead {
  if (!parsed.ok) return parsed;
  const { hasBlock, data, body, lines, notes } = parsed.value;
  if (!hasBlock || isDocumentation(data)) return ok(undefined);
  const read = readDefinition(data, {
    source,
    file: path,
    plugin,
    fallbackName: baseName(path),
    prompt: body,
    ...(pluginName === undefined ? {} : { prefix: pluginPrefix(pluginName, folders) }),
  });
  if (read.ok) {
    const piece = source === 'project' ? agentPiece(pieceFile(root, path), data) : undefined;
    const definition = { ...read.value, notes: [...notes, ...read.value.notes] };
    return ok({ definition, ...(piece ? { piece } : {}) });
  }
  const { field, reason } = read.problem;
  return fail({ line: lines.get(field ?? '') ?? 1, reason });
}

/** Frontmatter of another kind: a page with a title. */
function isDocumentation(data: Readonly<Record<string, unknown>>): boolean {
  return !Object.keys(data).some((key) => /^(?:name|description|tools|model)$/i.test(key));
}
