import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Frontmatter } from '../../lib/frontmatter/frontmatter.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import { isWithin, relativeParts } from '../../workspace/paths.ts';
import { resolveRealPath } from '../../workspace/real-path.ts';
import { parsePlace } from '../load.ts';
import { readPlace, settingsPlaces } from '../places.ts';
import { readPlainFile } from '../read-file.ts';
import { pieceFile } from '../trust.ts';
import { agentPiece, skillPiece, subAgentPiece } from './markdown-pieces.ts';
import { mcpPieces } from './mcp-pieces.ts';
import type { TrustPiece } from './piece.ts';
import { settingsPiece } from './settings-piece.ts';

/** Where to look for pieces. */
export interface TrustPlace {
  /** Our own state directory. */
  home: string;
  userHome: string;
  cwd: string;
  root: string;
}

export interface Collected {
  pieces: TrustPiece[];
  /** Files whose privileges are unknown, in sentences. They have none. */
  problems: string[];
}

/** Finds one kind of piece. A room with other pieces passes its own finder to `describeTrust`. */
export type PieceCollector = (place: TrustPlace) => Promise<Result<Collected>>;

const maxFileSize = 1024 * 1024;
const maxFiles = 2_000;
const maxDepth = 8;

type Parts = Pick<Frontmatter, 'data' | 'body'>;

export const ownCollectors: readonly PieceCollector[] = [
  collectSettings,
  collectServers,
  (place) => collectMarkdown(place, 'agents', /\.md$/i, (file, { data }) => agentPiece(file, data)),
  (place) =>
    collectMarkdown(place, 'commands', /\.md$/i, (file, { data, body }) =>
      skillPiece('command', file, data, body),
    ),
  (place) =>
    collectMarkdown(place, 'skills', /^SKILL\.md$/i, (file, { data, body }) =>
      skillPiece('skill', file, data, body),
    ),
  (place) =>
    collectFiles(place, 'workflows', /\.(?:[cm]?[jt]s|json|ya?ml)$/i, async (file, text) =>
      ok({ kind: 'workflow', file, content: text }),
    ),
  (place) => collectFiles(place, 'sub-agents', /\.md$/i, async (file, text) => ok(subAgentPiece(file, text))),
];

/** An invalid settings file stops here, as it stops a session. */
async function collectSettings(place: TrustPlace): Promise<Result<Collected>> {
  const pieces: TrustPiece[] = [];
  const places = settingsPlaces({ ...place, sources: ['user', 'project', 'local'], trusted: false });
  for (const one of places.filter((candidate) => candidate.fromRepository)) {
    const read = readPlace(one, place.root);
    if (!read.ok) return read;
    if (read.value === undefined) continue;
    const json = parsePlace(one, read.value.text);
    if (!json.ok) return json;
    const piece = settingsPiece(pieceFile(place.root, one.file), json.value);
    if (piece) pieces.push({ ...piece, leadsTo: read.value.leadsTo });
  }
  return ok({ pieces, problems: [] });
}

async function collectServers(place: TrustPlace): Promise<Result<Collected>> {
  const found: Collected = { pieces: [], problems: [] };
  for (const directory of directoriesDown(place)) {
    const path = join(directory, '.mcp.json');
    const read = readPlainFile({ path, holds: 'servers', largest: maxFileSize, root: place.root });
    if (!read.ok) found.problems.push(read.problem.message);
    if (!read.ok || !read.value) continue;
    const pieces = mcpPieces(pieceFile(place.root, path), read.value.text);
    if (!pieces.ok) found.problems.push(pieces.problem.message);
    else found.pieces.push(...pieces.value.map((piece) => ({ ...piece, leadsTo: read.value?.leadsTo })));
  }
  return ok(found);
}

/** All rooms read frontmatter with one reader: content it cannot read has no privileges anywhere. */
async function collectMarkdown(
  place: TrustPlace,
  folder: string,
  names: RegExp,
  readPiece: (file: string, parts: Parts) => TrustPiece | undefined,
): Promise<Result<Collected>> {
  return collectFiles(place, folder, names, async (file, text) => {
    const { parseFrontmatter } = await import('../../lib/frontmatter/frontmatter.ts');
    const parsed = await parseFrontmatter(text);
    if (parsed.ok) return ok(readPiece(file, parsed.value));
    return usage(`${file}:${parsed.problem.line}: ${parsed.problem.reason}`);
  });
}

async function collectFiles(
  place: TrustPlace,
  folder: string,
  names: RegExp,
  readPiece: (file: string, text: string) => Promise<Result<TrustPiece | undefined>>,
): Promise<Result<Collected>> {
  const found: Collected = { pieces: [], problems: [] };
  for (const directory of directoriesDown(place).flatMap(inBothFolders(folder))) {
    const files = filesBelow(directory, place.root, names);
    if (files.length >= maxFiles)
      found.problems.push(`${directory}: only the first ${maxFiles} files are read`);
    for (const path of files) {
      const read = readPlainFile({ path, holds: 'text', largest: maxFileSize, root: place.root });
      if (!read.ok) found.problems.push(read.problem.message);
      if (!read.ok || !read.value) continue;
      const piece = await readPiece(pieceFile(place.root, path), read.value.text);
      if (!piece.ok) found.problems.push(piece.problem.message);
      else if (piece.value) found.pieces.push({ ...piece.value, leadsTo: read.value.leadsTo });
    }
  }
  return ok(found);
}

/** From the root down to the start: nearer files have priority, but all of them apply. */
function directoriesDown({ root, cwd }: TrustPlace): string[] {
  const below = relativeParts(cwd, root) ?? [];
  return [root, ...below.map((_, index) => join(root, ...below.slice(0, index + 1)))];
}

function inBothFolders(folder: string): (directory: string) => string[] {
  return (directory) => ['.cadre', '.claude'].map((own) => join(directory, own, folder));
}

/** Folders are followed within the repository only, each once, however many links lead there. */
function filesBelow(top: string, root: string, names: RegExp): string[] {
  const files: string[] = [];
  const seen = new Set<string>();
  const realRoot = resolveRealPath(root);
  const visit = (directory: string, depth: number) => {
    const real = resolveRealPath(directory);
    if (depth > maxDepth || seen.has(real) || !isWithin(real, realRoot)) return;
    seen.add(real);
    for (const entry of listEntries(directory)) {
      if (files.length >= maxFiles) return;
      const path = join(directory, entry.name);
      if (isDirectory(entry, path)) visit(path, depth + 1);
      else if (names.test(entry.name)) files.push(path);
    }
  };
  visit(top, 0);
  return files;
}

function listEntries(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}

function isDirectory(entry: Dirent, path: string): boolean {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
