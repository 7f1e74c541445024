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

/** One name against one piece. Only the last star ever needs to backtrack, so time cannot explode. */
export function matchesName(piece: string, name: string): boolean {
  let at = 0;
  let position = 0;
  let star = -1;
  let resume = 0;
  while (position < name.length) {
    const token = readToken(piece, at);
    if (token?.star) {
      star = at = token.end;
      resume = position;
    } else if (token?.matches(name[position] ?? '')) {
      at = token.end;
      position++;
    } else if (star >= 0) {
      at = star;
      position = ++resume;
    } else return false;
  }
  for (let token = readToken(piece, at); token?.star; token = readToken(piece, at)) at = token.end;
  return at >= piece.length;
}

/**
 * Whether a pattern of a shell, a search or git could match a name, in any of them and in any locale. Ranges and classes
 * depend on the locale, and beyond ASCII some programs count characters and others bytes. A pattern without a match is kept
 * as it is, like `[x]` where no `x` exists. Matches more, never less.
 */
export function mayMatchName(pattern: string, name: string): boolean {
  if (pattern.replace(/\\([\s\S])/g, '$1') === name) return true;
  return matchesName(loosenPattern(pattern, /^[\0-\x7f]*$/.test(name)), name);
}

/** Only plain sets are kept: `["!"a]` has lost its quotes here, so it may not be a negation. */
function loosenPattern(pattern: string, isPlainName: boolean): string {
  const one = isPlainName ? '?' : '*';
  return pattern.replace(/\\[\s\S]|\?|\[[\w.]+\]|\[[!^][\w.]+\]|\[[\s\S]*\]/g, (token) => {
    if (token.startsWith('\\')) return token;
    if (/^\[[\w.]+\]$/.test(token)) return isPlainName ? token : '*';
    return token === '?' || /^\[[!^][\w.]+\]$/.test(token) ? one : '*';
  });
}

interface Token {
  end: number;
  star: boolean;
  matches(character: string): boolean;
}

function readToken(piece: string, at: number): Token | undefined {
  const character = piece[at];
  if (character === undefined) return undefined;
  if (character === '*') return { end: at + 1, star: true, matches: () => false };
  if (character === '?') return { end: at + 1, star: false, matches: () => true };
  if (character === '[') {
    const set = readBracket(piece, at);
    if (set) return set;
  }
  const literal = character === '\\' ? (piece[at + 1] ?? '\\') : character;
  const end = character === '\\' && at + 1 < piece.length ? at + 2 : at + 1;
  return { end, star: false, matches: (other) => other === literal };
}

/** `[abc]`, `[a-z]`, `[!a]`, `[^a]`. Without a closing bracket it is an ordinary character. */
function readBracket(piece: string, start: number): Token | undefined {
  let at = start + 1;
  const negated = piece[at] === '!' || piece[at] === '^';
  if (negated) at++;
  const ranges: [string, string][] = [];
  for (let first = true; at < piece.length; first = false) {
    if (piece[at] === ']' && !first) {
      const matches = (other: string) =>
        ranges.some(([low, high]) => other >= low && other <= high) !== negated;
      return { end: at + 1, star: false, matches };
    }
    if (piece[at] === '\\') at++;
    const low = piece[at] ?? '';
    const isRange = piece[at + 1] === '-' && at + 2 < piece.length && piece[at + 2] !== ']';
    ranges.push([low, isRange ? (piece[at + 2] ?? low) : low]);
    at += isRange ? 3 : 1;
  }
  return undefined;
}

/** A path as a pattern that matches only this path. */
export function escapePattern(path: string): string {
  return path.replace(/[\\*?[\]!#]/g, '\\$&');
}
