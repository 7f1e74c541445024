import { maxTextSize } from '../lib/frontmatter/frontmatter.ts';
import type { FrontmatterProblem } from '../lib/frontmatter/frontmatter-block.ts';
import type { Result } from '../lib/result.ts';
import { matchesToolName } from '../places/names.ts';
import {
  baseName,
  type DefinitionPlace,
  type DefinitionPlacesOptions,
  definitionPlaces,
} from '../settings/definition-places.ts';
import { subAgentPiece } from '../settings/trust/markdown-pieces.ts';
import { pieceFile, type Trust } from '../settings/trust.ts';
import { type FoundFile, findMarkdown, readSmallText } from '../workspace/find-markdown.ts';
import { builtInFiles, fileKinds, type HandoffFileKind } from './built-in.ts';
import type {
  BrokenHandoffFile,
  HandoffProfile,
  HandoffProtocol,
  HandoffTemplate,
  HeldHandoffFile,
} from './file-types.ts';
import { type FileOrigin, readProfile, readProtocol, readTemplate } from './read-files.ts';

/** Every profile, template and protocol that applies. A name that is broken is in none of the maps. */
export interface HandoffLibrary {
  profiles: ReadonlyMap<string, HandoffProfile>;
  templates: ReadonlyMap<string, HandoffTemplate>;
  protocols: ReadonlyMap<string, HandoffProtocol>;
  broken: readonly BrokenHandoffFile[];
  held: readonly HeldHandoffFile[];
}

export interface LoadLibraryOptions extends Omit<DefinitionPlacesOptions, 'pluginDirectories'> {
  /** The parts of the repository that the user trusts; nothing unless given. */
  trust?: Trust | undefined;
}

const maxEntries = 1_000;

/**
 * Reads the files of every place, strongest first, then our own. The strongest file of a name decides: if it is broken, the
 * name is broken, since a weaker profile may grant what the broken one was written to take away. A repository's file that is
 * not trusted is left out, unless it is a profile that only takes tools away.
 */
export async function loadLibrary(options: LoadLibraryOptions): Promise<HandoffLibrary> {
  const collection = new Collection(await readBuiltInFiles());
  const limits = { entries: maxEntries };
  for (const place of definitionPlaces('sub-agents', options)) {
    const { files, problems } = findMarkdown(place.directory, place.within, limits);
    for (const problem of problems) collection.addBroken({ ...problem, source: place.source });
    for (const file of files) await readFound(file, place, options, collection);
  }
  return collection.finish();
}

/** Our own files alone: for programs that bring no files of a user's. */
export async function loadBuiltInLibrary(): Promise<HandoffLibrary> {
  return new Collection(await readBuiltInFiles()).finish();
}

type AnyFile = HandoffProfile | HandoffTemplate | HandoffProtocol;
type Files = Record<HandoffFileKind, Map<string, AnyFile>>;

async function readFound(
  { path, real, folders }: FoundFile,
  { source, within }: DefinitionPlace,
  { root, trust, judge }: LoadLibraryOptions,
  collection: Collection,
): Promise<void> {
  const [folder, ...deeper] = folders;
  const kind = fileKinds.find((one) => one === folder);
  if (kind === undefined || deeper.length > 0) return;
  const name = baseName(path);
  const about = { kind, name, file: path, source };
  const refusal = await judge?.judge({ path, real, base: within });
  if (refusal !== undefined) return collection.addBroken({ ...about, reason: refusal });
  const text = readSmallText(real, maxTextSize);
  if (!text.ok) return collection.addBroken({ ...about, reason: text.problem });
  const piece = source === 'project' ? subAgentPiece(pieceFile(root, path), text.value) : undefined;
  const isHeld = piece !== undefined && trust?.isTrusted(piece) !== true;
  const read = await readers[kind](text.value, { name, source, file: path });
  if (!read.ok) collection.addBroken({ ...about, ...read.problem }, isHeld);
  else collection.add(kind, read.value, isHeld);
}

const readers: Record<
  HandoffFileKind,
  (text: string, origin: FileOrigin) => Promise<Result<AnyFile, FrontmatterProblem>>
> = { profiles: readProfile, templates: readTemplate, protocols: readProtocol };

class Collection {
  readonly #files: Files = { profiles: new Map(), templates: new Map(), protocols: new Map() };
  readonly #broken: BrokenHandoffFile[] = [];
  readonly #held: HeldHandoffFile[] = [];
  /** Profiles that are not trusted and take tools away from ours. The user's own of the name, if any, decides instead. */
  readonly #narrowing: AnyFile[] = [];
  /** Names that a stronger file has decided about, used or broken. */
  readonly #decided = new Set<string>();

  constructor(private readonly builtIn: Files) {}

  add(kind: HandoffFileKind, file: AnyFile, isHeld: boolean): void {
    const key = `${kind}/${file.name}`;
    if (this.#decided.has(key)) return;
    if (isHeld) {
      if (this.#onlyNarrows(file)) this.#narrowing.push(file);
      else this.#held.push({ kind, name: file.name, file: file.file ?? '' });
      return;
    }
    this.#decided.add(key);
    this.#files[kind].set(file.name, file);
  }

  /** A broken file that is not trusted is not used either way, so that it decides nothing. */
  addBroken(broken: BrokenHandoffFile, isHeld = false): void {
    this.#broken.push(broken);
    const { kind, name } = broken;
    if (kind !== undefined && name !== undefined && !isHeld) this.#decided.add(`${kind}/${name}`);
  }

  finish(): HandoffLibrary {
    for (const profile of this.#narrowing) this.add('profiles', profile, false);
    for (const kind of fileKinds) for (const file of this.builtIn[kind].values()) this.add(kind, file, false);
    const { profiles, templates, protocols } = this.#files;
    return {
      profiles: profiles as Map<string, HandoffProfile>,
      templates: templates as Map<string, HandoffTemplate>,
      protocols: protocols as Map<string, HandoffProtocol>,
      broken: this.#broken,
      held: this.#held,
    };
  }

  #onlyNarrows(file: AnyFile): boolean {
    const ours = this.builtIn.profiles.get(file.name);
    if (!isProfile(file) || ours === undefined || !isProfile(ours)) return false;
    return file.tools.every((tool) =>
      ours.tools.some((one) => one === tool || (!tool.includes('*') && matchesToolName(one, tool))),
    );
  }
}

function isProfile(file: AnyFile): file is HandoffProfile {
  return 'tools' in file;
}

async function readBuiltInFiles(): Promise<Files> {
  const files: Files = { profiles: new Map(), templates: new Map(), protocols: new Map() };
  for (const kind of fileKinds)
    for (const [name, text] of Object.entries(builtInFiles[kind])) {
      const read = await readers[kind](text, { name, source: 'built-in' });
      if (!read.ok)
        throw new Error(`built-in ${kind}/${name}.md:${read.problem.line}: ${read.problem.reason}`);
      files[kind].set(name, read.value);
    }
  return files;
}
