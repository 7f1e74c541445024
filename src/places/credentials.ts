import { untold } from '../lib/told.ts';
import { splitPath } from '../workspace/paths.ts';
import { credentialFiles, openCopies } from './credentials.data.ts';
import type { Look } from './look.ts';
import { matchesName } from './name-pattern.ts';
import { foldName, isTold, type ResolvedPath } from './paths.ts';

/** The paths in a list that hold credentials. */
export function credentialsAmong(paths: readonly string[]): readonly string[] {
  const before = subsets.get(paths);
  if (before) return before;
  const found = paths.filter(isCredential);
  subsets.set(paths, found);
  return found;
}

/** The same list of all tracked files is checked again and again. */
const subsets = new WeakMap<readonly string[], readonly string[]>();

/** The path, by its name or by its link target, if it holds credentials. */
export function findCredentialPath(path: ResolvedPath): string | undefined {
  if (isCredential(path.given)) return path.given;
  return path.real !== path.given && isCredential(path.real)
    ? `${path.given} (a link to ${path.real})`
    : undefined;
}

/** The same, also for another name (hard link) of such a file in the workspace. */
export function findCredential(path: ResolvedPath, look: Look | undefined): string | undefined {
  const found = findCredentialPath(path);
  if (found !== undefined) return found;
  if (!isTold(path)) return `${path.given} (it is unclear where its links lead)`;
  const same = look?.sameFile(path.real);
  if (same === untold)
    return `${path.given} (it has other hard links, one of which may be a credential file)`;
  return same === undefined ? undefined : `${path.given} (a hard link to ${same})`;
}

/**
 * Whether the pattern of a rule is about this file in particular: it is its very name, or it matches credential files alone, as
 * `.env*`, `*.pem` or `~/.ssh/**` do. One that also matches other files, as `**` or `conf/*`, was not written with secrets in mind.
 */
export function namesCredential(pattern: string, path: ResolvedPath): boolean {
  const isLiteral = !/[*?[]/.test(pattern.replace(/\\./gs, ''));
  const plain = unquote(pattern);
  if (isLiteral && [path.given, path.real].some((one) => splitPath(one).at(-1) === splitPath(plain).at(-1)))
    return !plain.endsWith('/');
  return ['x', ''].some((filling) => isCredential(unquote(pattern.replace(wildcards, filling))));
}

const wildcards = /(?<!\\)(?:\*+|\?|\[[^\]]*\])/g;

function unquote(pattern: string): string {
  return pattern.replace(/\\(.)/gs, '$1');
}

/** By its name alone, compared as a case-insensitive file system would. */
export function isCredential(path: string): boolean {
  const parts = splitPath(foldName(path));
  const name = parts.at(-1) ?? '';
  const isCopy = copyPattern.test(name);
  if (!isCopy && byName(name)) return true;
  if (!mayBePlace.test(path)) return false;
  return placePatterns.some(({ pieces, isDirectory, isFixed }) => {
    if (!isDirectory && isCopy) return false;
    if (isFixed) return (isDirectory || parts.length === pieces.length) && fits(pieces, parts, 0);
    const last = parts.length - pieces.length;
    if (!isDirectory) return fits(pieces, parts, last);
    for (let start = 0; start <= last; start++) if (fits(pieces, parts, start)) return true;
    return false;
  });
}

/** A name for each kind of file, to test a pattern that was not expanded. */
export function credentialExamples(): readonly string[] {
  return examples;
}

/** The same files as patterns of deny rules. These also cover the open copies (`.env.example`): a rule has no exceptions. */
export function listCredentialRules(): readonly string[] {
  return patterns.map((pattern) => (pattern.startsWith('/') ? `/${pattern}` : pattern));
}

/** Called for every file that a search finds: one expression, built from our own table alone. */
function byName(name: string): boolean {
  return namePattern.test(name);
}

function fits(pieces: readonly string[], parts: readonly string[], start: number): boolean {
  return start >= 0 && pieces.every((piece, offset) => matchesName(piece, parts[start + offset] ?? ''));
}

/** `{a,b}` in the table, nested in nothing. */
function spread(pattern: string): string[] {
  const [all, inside] = /\{([^}]*)\}/.exec(pattern) ?? [];
  if (all === undefined || inside === undefined) return [foldName(pattern)];
  return inside.split(',').flatMap((one) => spread(pattern.replace(all, one)));
}

function compilePatterns(patterns: readonly string[]): RegExp {
  const forms = patterns.map((pattern) => pattern.split('*').map(escapeSigns).join('.*'));
  return new RegExp(`^(?:${forms.join('|')})$`, 's');
}

function escapeSigns(text: string): string {
  return text.replace(/[\\^$.+?()[\]{}|]/g, '\\$&');
}

/** All places in the table begin with a dot, or at the root. */
const mayBePlace = /\/\.|^\.|^\/(?:proc|etc|run)\//i;

const patterns = credentialFiles.flatMap((entry) => entry.patterns.flatMap(spread));
const names = patterns.filter((pattern) => !pattern.includes('/'));
const namePattern = compilePatterns(names);
const copyPattern = compilePatterns(openCopies);
const placePatterns = patterns
  .filter((pattern) => pattern.includes('/'))
  .map((pattern) => ({
    pieces: pattern.split('/').filter((piece) => piece !== ''),
    isDirectory: pattern.endsWith('/'),
    isFixed: pattern.startsWith('/'),
  }));
const examples = patterns.map(
  (pattern) => `${pattern.replace(/^\//, '').replaceAll('*', 'x')}${pattern.endsWith('/') ? 'x' : ''}`,
);
