import { matchesName } from './name-pattern.ts';
import { foldName } from './paths.ts';

/**
 * Path patterns like gitignore's: `*`, `?` and `[…]` within a name, `**` across names, a backslash escapes the next
 * character. A pattern that matches a directory matches everything below it. No regular expressions: time grows with pattern
 * × path, whatever they contain. Negation is not supported.
 */
export interface PatternOptions {
  /** Compares as a case-insensitive file system might. For refusals; never for grants. */
  fold?: boolean;
  /** `dir/` and `dir/**` also match `dir` itself. */
  includeSelf?: boolean;
}

export function matchesPattern(
  pattern: string,
  parts: readonly string[],
  options: PatternOptions = {},
): boolean {
  const normalise = options.fold ? foldName : (name: string) => name;
  const names = parts.map(normalise);
  const pieces = patternPieces(normalise(pattern), options.includeSelf ?? false);
  const directoryOnly = pattern.endsWith('/') && !options.includeSelf;
  if (pieces.length === 0) return !directoryOnly || names.length > 0;
  let states = closure(pieces, new Set([0]));
  for (const [index, name] of names.entries()) {
    states = closure(pieces, step(pieces, states, name));
    if (states.has(pieces.length) && !(directoryOnly && index === names.length - 1)) return true;
    if (states.size === 0) return false;
  }
  return false;
}

function patternPieces(pattern: string, includeSelf: boolean): string[] {
  const pieces = splitPieces(pattern).filter((piece) => piece !== '' && piece !== '.');
  // Below a directory, but not the directory: `dir/**` needs at least one more name.
  if (pieces.at(-1) === '**') {
    if (includeSelf) while (pieces.at(-1) === '**') pieces.pop();
    else pieces.push('*');
  }
  return pieces;
}

/** Splits at slashes; a backslash escapes the next character. */
function splitPieces(pattern: string): string[] {
  const pieces = [''];
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at] ?? '';
    const last = pieces.length - 1;
    if (character === '/') pieces.push('');
    else if (character === '\\') pieces[last] += character + (pattern[++at] ?? '');
    else pieces[last] += character;
  }
  return pieces;
}

/** `**` may also match nothing. */
function closure(pieces: readonly string[], states: Set<number>): Set<number> {
  for (const state of states) if (pieces[state] === '**') states.add(state + 1);
  return states;
}

function step(pieces: readonly string[], states: ReadonlySet<number>, name: string): Set<number> {
  const next = new Set<number>();
  for (const state of states) {
    const piece = pieces[state];
    if (piece === undefined) continue;
    if (piece === '**') next.add(state);
    else if (matchesName(piece, name)) next.add(state + 1);
  }
  return next;
}

/** A path as a pattern that matches only this path. */
export function escapePattern(path: string): string {
  return path.replace(/[\\*?[\]!#]/g, '\\$&');
}
