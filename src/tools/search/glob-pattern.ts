/** The literal directory at the start of a pattern, which need not be searched for, and the rest. */
export function splitGlob(glob: string): { base: string; pattern: string } {
  const parts = glob.replace(/^(\.\/)+/, '').split('/');
  const first = parts.findIndex((part) => /[*?[\]{}\\]/.test(part));
  const cut = first === -1 ? parts.length - 1 : first;
  const base = parts.slice(0, cut).join('/');
  return {
    base: base === '' ? (glob.startsWith('/') ? '/' : '.') : base,
    pattern: parts.slice(cut).join('/'),
  };
}

/** A pattern for names alone, without characters special to ripgrep's type definitions; else undefined. */
export function globFilter(glob: string): string | undefined {
  return glob === '' || glob === '**' || glob.startsWith('!') || /[/\\:]/.test(glob) || !areBracesEven(glob)
    ? undefined
    : glob;
}

function areBracesEven(glob: string): boolean {
  return glob.split('{').length === glob.split('}').length;
}

/** The maximum depth of a match; undefined if there is no limit. */
export function measureGlobDepth(glob: string): number | undefined {
  return glob.includes('**') || /\{[^}]*\//.test(glob) ? undefined : glob.split('/').length;
}

/** The whole path must match: `*` and `?` stay within a name, `**` does not, `{a,b}` is either. Undefined when malformed. */
export function globToRegExp(glob: string): RegExp | undefined {
  let source = '';
  let depth = 0;
  for (let at = 0; at < glob.length; ) {
    const { piece, length, change } = translate(glob.slice(at), depth);
    source += piece;
    depth += change;
    at += length;
  }
  try {
    return depth === 0 ? new RegExp(`^${source}$`, 's') : undefined;
  } catch {
    return undefined;
  }
}

interface Piece {
  piece: string;
  length: number;
  change: number;
}

function translate(rest: string, depth: number): Piece {
  const plain = (piece: string, length: number, change = 0): Piece => ({ piece, length, change });
  if (rest.startsWith('**/')) return plain('(?:[^/]*/)*', 3);
  if (rest.startsWith('**')) return plain('.*', 2);
  const character = rest[0] ?? '';
  if (character === '*') return plain('[^/]*', 1);
  if (character === '?') return plain('[^/]', 1);
  if (character === '{') return plain('(?:', 1, 1);
  if (character === '}' && depth > 0) return plain(')', 1, -1);
  if (character === ',' && depth > 0) return plain('|', 1);
  if (character === '\\' && rest.length > 1) return plain(literal(rest[1] ?? ''), 2);
  const group = character === '[' ? /^\[([!^]?)(\]?[^\]/]*)\]/.exec(rest) : null;
  if (group)
    return plain(`[${group[1] ? '^/' : ''}${(group[2] ?? '').replace(/[\\\]^]/g, '\\$&')}]`, group[0].length);
  return plain(literal(character), 1);
}

function literal(character: string): string {
  return character.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
