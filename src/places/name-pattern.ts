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
