import { dirname, join, resolve } from 'node:path';
import type { RealPath } from '../lib/files/real-places.ts';
import type { Problem } from '../lib/result.ts';
import { visible } from '../lib/text/text.ts';
import { isCredential } from '../places/credentials.ts';
import { matchesPattern } from '../places/pattern.ts';
import { definitionPlaces } from '../settings/definition-places.ts';
import type { FileJudge } from '../workspace/file-judge.ts';
import { isWithin, relativeParts, splitPath } from '../workspace/paths.ts';
import { findRealPath, readBounded } from './memory-file.ts';
import type { IsExcluded, MemoryFile, MemoryRules, PathRule } from './memory-kinds.ts';
import { type MemoryText, readMemoryText } from './memory-text.ts';

export type { MemoryFile } from './memory-kinds.ts';

export interface MemoryOptions {
  cwd: string;
  /** The repository's root; `cwd` if there is no repository. */
  root: string;
  /** Our own state directory. */
  home: string;
  userHome: string;
  /** The layers of `--setting-sources`; all by default. */
  sources?: readonly string[] | undefined;
  /** Patterns of files to leave out (`claudeMdExcludes`). */
  excludes?: readonly string[];
  /** Says why files are not read for a model. */
  judge?: FileJudge;
}

export interface Memory {
  /** In the order of the prompt: the user's first, then from the root down, nearest last. */
  files: MemoryFile[];
  /** Those that apply only to work on certain files. */
  byPath: PathRule[];
  problems: Problem[];
  /** What it was read with, for directories below. */
  options: MemoryOptions;
}

/** How a file was found. */
interface Found {
  scope: MemoryFile['scope'];
  /** The directory that its imports may not leave. */
  bound?: string;
  hop: number;
}

const maxHops = 4;
const maxMemorySize = 100 * 1024;
const inEachDirectory = ['AGENTS.md', 'CLAUDE.md', '.claude/CLAUDE.md', '.cadre/AGENTS.md'];
const localInEachDirectory = ['CLAUDE.local.md'];

/** Notes that users wrote for agents. They are data: labelled, bounded, and never a reason to stop. */
export async function projectMemory(options: MemoryOptions): Promise<Memory> {
  const reader = new MemoryReader(options);
  const { home, userHome } = options;
  const rules = await readRules(
    options,
    async (path, real, isOwn) => reader.isExcluded(path) || reader.isRefused(path, real, { isUsers: isOwn }),
  );
  if (takes(options, 'user'))
    for (const path of [join(home, 'AGENTS.md'), join(userHome, '.claude', 'CLAUDE.md')])
      await reader.readUser(path);
  const ofScope = (scope: MemoryFile['scope']) => rules.files.filter((file) => file.scope === scope);
  reader.files.push(...ofScope('user'));
  for (const directory of directoriesDown(options.root, options.cwd))
    await readProjectFiles(reader, options, directory);
  reader.files.push(...ofScope('project'));
  const problems = [...reader.problems, ...rules.problems];
  return { files: boundTotal(reader.files, problems), byPath: rules.byPath, problems, options };
}

/** The memory files of one directory of the repository, with what they import. */
export async function readDirectoryMemory(
  options: MemoryOptions,
  directory: string,
): Promise<Pick<Memory, 'files' | 'problems'>> {
  const reader = new MemoryReader(options);
  await readProjectFiles(reader, options, directory);
  return { files: reader.files, problems: reader.problems };
}

async function readProjectFiles(
  reader: MemoryReader,
  options: MemoryOptions,
  directory: string,
): Promise<void> {
  const names = [
    ...(takes(options, 'project') ? inEachDirectory : []),
    ...(takes(options, 'local') ? localInEachDirectory : []),
  ];
  for (const name of names) await reader.readProject(join(directory, name), directory);
}

function takes({ sources }: MemoryOptions, source: 'user' | 'project' | 'local'): boolean {
  return sources?.includes(source) ?? true;
}

/** Most projects have none; then nothing is loaded for them. */
async function readRules(options: MemoryOptions, isExcluded: IsExcluded): Promise<MemoryRules> {
  const places = definitionPlaces('rules', options)
    .filter(({ directory }) => findRealPath(directory) !== undefined)
    .reverse();
  if (places.length === 0) return { files: [], byPath: [], problems: [] };
  const { readMemoryRules } = await import('./memory-rules.ts');
  return readMemoryRules(places, isExcluded);
}

function directoriesDown(root: string, cwd: string): string[] {
  const below = relativeParts(cwd, root);
  if (below === undefined) return [cwd];
  return [root, ...below.map((_, index) => join(root, ...below.slice(0, index + 1)))];
}

/** Reads each file once, however many names, links and imports lead to it. */
class MemoryReader {
  readonly files: MemoryFile[] = [];
  readonly problems: Problem[] = [];
  readonly #seen = new Set<string>();
  readonly #root: string;
  readonly #ownPlaces: string[];
  readonly #ownState: string;
  /** A home directory that is a repository holds other projects, and much that is not a project. */
  readonly #holdsHome: boolean;

  constructor(private readonly options: MemoryOptions) {
    const real = (path: string) => findRealPath(path) ?? path;
    this.#ownPlaces = [options.userHome, options.home].map(real);
    this.#root = real(options.root);
    this.#ownState = real(options.home);
    this.#holdsHome = isWithin(real(options.userHome), this.#root);
  }

  async readUser(path: string): Promise<void> {
    const real = findRealPath(path);
    if (real !== undefined) await this.#add(path, real, { scope: 'user', hop: 0 });
  }

  /**
   * A repository's file imports from the repository; if that contains the home directory, only from its own directory.
   */
  async readProject(path: string, directory: string): Promise<void> {
    const real = findRealPath(path);
    if (real === undefined) return;
    const bound = this.#holdsHome ? (findRealPath(directory) ?? directory) : this.#root;
    if (!isWithin(real, bound))
      return this.#report(`${path}: a link that points outside the repository, to ${real}; ignored`);
    await this.#add(path, real, { scope: 'project', bound, hop: 0 });
  }

  async #add(path: string, real: RealPath, { scope, bound, hop }: Found): Promise<void> {
    if (this.#seen.has(real) || this.isExcluded(path)) return;
    this.#seen.add(real);
    if (await this.isRefused(path, real, { isUsers: isUsers(scope, bound), isNamed: hop > 0 })) return;
    const raw = readBounded(real);
    if (!raw.ok) return void this.problems.push(raw.problem);
    if (!raw.value) return;
    const read = readMemoryText(raw.value.text);
    this.#keep(path, scope, read, raw.value.cut);
    for (const name of read.imports) await this.#import(name, path, real, bound, hop + 1);
  }

  #keep(path: string, scope: MemoryFile['scope'], read: MemoryText, cut: number): void {
    const repeated = this.files.some((file) => file.text === read.text);
    if (read.text === '' || read.onlyImports || repeated) return;
    const note = cut > 0 ? `\n[${cut} more bytes are in the file.]` : '';
    if (cut > 0) this.#report(`${path}: only the first part is used; the last ${cut} bytes are ignored`);
    this.files.push({ path, scope, text: read.text + note });
  }

  async #import(
    name: string,
    importer: string,
    importerReal: string,
    bound: string | undefined,
    hop: number,
  ): Promise<void> {
    const path = name.startsWith('~/')
      ? join(this.options.userHome, name.slice(2))
      : resolve(dirname(importer), name);
    const real = findRealPath(path);
    if (real === undefined) {
      // A word with an at sign is more often a name than a file.
      if (/^(?:\.{1,2}|~)\/|\.md$/i.test(name)) this.#report(`${importer}: @${name}: no such file`);
      return;
    }
    if (hop > maxHops)
      return this.#report(`${importer}: @${name}: more than ${maxHops} imports deep; ignored`);
    if (!this.#mayImport(real, importerReal, bound))
      return this.#report(
        `${importer}: @${name}: points to ${real}, which may not be included in a prompt; ignored`,
      );
    // A repository's text stays the repository's, even if the user's own file imports it.
    const scope = isWithin(real, this.#root) ? 'project' : 'user';
    await this.#add(path, real, { scope, hop, bound });
  }

  /** A repository's file imports from the repository, the user's from the user's home; neither imports secrets. */
  #mayImport(real: string, importerReal: string, bound: string | undefined): boolean {
    // Only notes of our own state are for prompts; keys are stored beside them.
    if (isSecret(real) || (isWithin(real, this.#ownState) && !/\.md$/i.test(real))) return false;
    if (bound !== undefined) return isWithin(real, bound);
    if (isWithin(importerReal, this.#root)) return isWithin(real, this.#root);
    return this.#ownPlaces.some((place) => isWithin(real, place)) || isWithin(real, this.#root);
  }

  /** And says so. */
  async isRefused(path: string, real: RealPath, { isUsers, isNamed = false }: Asked): Promise<boolean> {
    const { judge, root } = this.options;
    const reason = await judge?.judge({ path, real, isNamed, base: isUsers ? undefined : root });
    if (reason === undefined) return false;
    this.#report(`${path}: not included in the prompt: ${reason}`);
    return true;
  }

  isExcluded(path: string): boolean {
    return (this.options.excludes ?? []).some((pattern) =>
      matchesPattern(pattern.startsWith('/') ? pattern : `**/${pattern}`, splitPath(path)),
    );
  }

  #report(message: string): void {
    this.problems.push({ kind: 'failure', message: visible(message) });
  }
}

/** Who asks for a file. */
interface Asked {
  /** The user's own memory does. */
  isUsers: boolean;
  /** A memory file names it. */
  isNamed?: boolean;
}

function isUsers(scope: MemoryFile['scope'], bound: string | undefined): boolean {
  return scope === 'user' && bound === undefined;
}

function isSecret(path: string): boolean {
  return isCredential(path) || splitPath(path).some((part) => part.toLowerCase() === '.git');
}

/** Files nearest to the work are cut last. */
function boundTotal(files: readonly MemoryFile[], problems: Problem[]): MemoryFile[] {
  let room = maxMemorySize;
  const kept: MemoryFile[] = [];
  for (const file of [...files].reverse()) {
    const size = Buffer.byteLength(file.text);
    if (size <= room) {
      kept.push(file);
      room -= size;
    } else {
      const message = `${file.path}: ignored; all memory files together exceed ${maxMemorySize} bytes`;
      problems.push({ kind: 'failure', message });
    }
  }
  return kept.reverse();
}
