/** The rooms of `src/` in order, and the imports between its files. `docs/house.md` says why. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { importsOf } from './source.ts';

/** Lowest first; a room imports from those before it. Rooms of one entry do not import each other. */
export const roomOrder: readonly (readonly string[])[] = [
  ['lib'],
  ['protocol'],
  ['convert'],
  ['workspace'],
  ['store'],
  ['settings'],
  ['places'],
  ['shell'],
  ['sandbox'],
  ['permissions'],
  ['models'],
  ['tasks'],
  ['tools'],
  ['mcp'],
  ['hooks'],
  ['knowledge'],
  ['loop'],
  ['replay'],
  ['agents'],
  ['landing'],
  ['rewind'],
  ['door'],
  ['team'],
  ['remote'],
  ['receipts'],
  ['checks'],
  ['workflows'],
  ['handoffs'],
  ['modes'],
  ['session'],
  ['view'],
  ['testing'],
  ['telemetry'],
  ['headless', 'acp', 'tui', 'dashboard'],
  ['commands'],
];

/** Files directly in `src/`, above every room. */
export const doorFiles: readonly string[] = ['index.ts', 'cli.ts'];

export interface SourceFile {
  /** Relative to `src/`. */
  path: string;
  text: string;
  imports: Import[];
}

export interface Import {
  specifier: string;
  /** Relative to `src/` for a relative specifier; undefined for a package or a `node:` module. */
  target?: string;
}

export function readSource(directory: string): SourceFile[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.d.ts'))
    .sort()
    .map((path) => {
      const text = readFileSync(join(directory, path), 'utf8');
      return { path, text, imports: importsOf(text).map((specifier) => resolveImport(path, specifier)) };
    });
}

function resolveImport(from: string, specifier: string): Import {
  return specifier.startsWith('.')
    ? { specifier, target: normalize(join(dirname(from), specifier)) }
    : { specifier };
}

/** One sentence per broken wall, naming the file and the import. */
export function findBrokenWalls(files: readonly SourceFile[]): string[] {
  const known = new Set(files.map((file) => file.path));
  return files.flatMap((file) => {
    const rank = rankOf(file.path);
    if (rank === undefined) return [`src/${file.path} is in no room: docs/house.md lists them`];
    return file.imports.flatMap(({ specifier, target }) => {
      if (target === undefined || !isCode(target)) return [];
      if (!known.has(target)) return [`src/${file.path} imports '${specifier}', which is not a file of src/`];
      return mayImport(file.path, rank, target) ? [] : [explain(file.path, specifier, target)];
    });
  });
}

/** Text and JSON have no imports; only code can break a wall. */
function isCode(target: string): boolean {
  return !/\.(?:md|json)$/.test(target);
}

function roomOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.indexOf('/')) : path;
}

function rankOf(path: string): number | undefined {
  if (doorFiles.includes(path)) return roomOrder.length;
  const rank = roomOrder.findIndex((rooms) => rooms.includes(roomOf(path)));
  return rank === -1 || !path.includes('/') ? undefined : rank;
}

function mayImport(path: string, rank: number, target: string): boolean {
  const targetRank = rankOf(target);
  if (targetRank === undefined) return false;
  if (rank === roomOrder.length || roomOf(path) === roomOf(target)) return true;
  return targetRank < rank;
}

function explain(path: string, specifier: string, target: string): string {
  return `src/${path} imports '${specifier}': ${roomOf(path)} stands no higher than ${roomOf(target)}, so it may not`;
}

/** Groups of files that import each other, by way of types too; each is a knot. */
export function findKnots(files: readonly SourceFile[]): string[][] {
  const edges = new Map(files.map((file) => [file.path, targetsOf(file)]));
  const index = new Map<string, number>();
  const stack: string[] = [];
  const knots: string[][] = [];

  // Tarjan: files whose lowest reachable file is the same one form a knot.
  const visit = (path: string): number => {
    index.set(path, index.size);
    let lowest = index.get(path) ?? 0;
    stack.push(path);
    for (const target of edges.get(path) ?? []) {
      if (!edges.has(target)) continue;
      if (!index.has(target)) lowest = Math.min(lowest, visit(target));
      else if (stack.includes(target)) lowest = Math.min(lowest, index.get(target) ?? lowest);
    }
    if (lowest === index.get(path)) {
      const group = stack.splice(stack.indexOf(path));
      if (group.length > 1 || edges.get(path)?.includes(path)) knots.push(group.sort());
    }
    return lowest;
  };
  for (const file of files) if (!index.has(file.path)) visit(file.path);
  return knots;
}

function targetsOf(file: SourceFile): string[] {
  return file.imports.flatMap(({ target }) => (target === undefined ? [] : [target]));
}

/** What is loaded with these files: their imports of values, and what those import. What is imported later does not count. */
export function listLoaded(files: readonly SourceFile[], entries: readonly string[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const loaded = new Set<string>();
  const visit = (path: string): void => {
    const file = byPath.get(path);
    if (!file || loaded.has(path)) return;
    loaded.add(path);
    for (const specifier of listValueImports(file.text)) visit(normalize(join(dirname(path), specifier)));
  };
  for (const entry of entries) visit(entry);
  return [...loaded].sort();
}

function listValueImports(source: string): string[] {
  const imports = source.matchAll(/^(?:import|export) (?!type )(?:([^'"()]*?) from )?'(\.[^']*)';/gms);
  return [...imports]
    .filter(([, names = '']) => !/^\{(?:\s*type [^,}]+,?)+\s*\}$/.test(names))
    .map(([, , specifier = '']) => specifier);
}
