/** Possible meanings of a tilde, at one point of a script. */
export interface TildePlaces {
  readonly home: string;
  /** Whether the script gives `HOME` another value somewhere. */
  readonly movesHome: boolean;
  /** Undefined where the script may have left it. */
  readonly directory: string | undefined;
  readonly dialect: 'bash' | 'sh';
  /** The home of another user; undefined where there is no such user, or it is unknown. */
  findHome(user: string): string | undefined;
}

/** Everything that a text may become; `isSure`: it becomes exactly the first. */
export interface Tilded {
  readonly texts: readonly string[];
  readonly isSure: boolean;
}

/** Where in a word a tilde is expanded, besides its beginning. */
export type TildeUse =
  /** Nowhere. */
  | 'word'
  /** After each colon: it is the value of an assignment. */
  | 'value'
  /** After the first equals sign and each colon: an argument that looks like an assignment, in bash alone. */
  | 'argument';

/**
 * Text outside quotes, without escapes. `isFirst` and `isLast` say where in its word it is: a prefix that continues in quotes
 * is not expanded.
 */
export function expandTildes(
  text: string,
  use: TildeUse,
  { isFirst, isLast }: { isFirst: boolean; isLast: boolean },
  places: TildePlaces,
): Tilded {
  let isSure = true;
  const pieces = splitPieces(text, use, isFirst);
  const expanded = pieces.map(({ lead, body, isStart }, index) => {
    const size = body.search(/[/:]/);
    const isWhole = size >= 0 || index < pieces.length - 1 || isLast;
    if (!isStart || !body.startsWith('~') || !isWhole) return [lead + body];
    const prefix = size < 0 ? body : body.slice(0, size);
    const meant = expandPrefix(prefix, places);
    // Bash lets a colon end it anywhere, others in assignments alone.
    const isColon = body[size] === ':';
    const isAlike =
      use !== 'word' ? !(use === 'argument' && places.dialect === 'sh' && lead !== '') : !isColon;
    const isOne = meant.isSure && isAlike;
    isSure &&= isOne;
    const all = isOne ? meant.texts : [...new Set([...meant.texts, prefix])];
    return all.map((one) => lead + one + body.slice(prefix.length));
  });
  const texts = expanded.reduce<string[]>(
    (heads, tails) => heads.flatMap((before) => tails.map((tail) => before + tail)).slice(0, maxTexts),
    [''],
  );
  return { texts, isSure };
}

const maxTexts = 16;

interface Piece {
  /** The text before the place where a tilde is expanded. */
  readonly lead: string;
  readonly body: string;
  readonly isStart: boolean;
}

function splitPieces(text: string, use: TildeUse, isFirst: boolean): Piece[] {
  if (use === 'word') return [{ lead: '', body: text, isStart: isFirst }];
  const name = use === 'argument' && isFirst ? (/^[^=]*=/.exec(text)?.[0] ?? '') : '';
  return text
    .slice(name.length)
    .split(':')
    .map((body, index) => ({ lead: index === 0 ? name : ':', body, isStart: index > 0 || isFirst }));
}

/** `~`, `~+`, `~-`, `~2`, `~user`. */
function expandPrefix(prefix: string, places: TildePlaces): Tilded {
  const { home, directory, dialect } = places;
  if (prefix === '~') return { texts: [home], isSure: !places.movesHome };
  if (/^~(?:[+-]\d*|\d+)$/.test(prefix)) {
    const isHere = prefix === '~+' && directory !== undefined;
    return { texts: isHere ? [directory] : [prefix], isSure: isHere && dialect === 'bash' };
  }
  const other = places.findHome(prefix.slice(1));
  // Without such a user it stays as it is; the machine may know a user from elsewhere.
  return { texts: [other ?? prefix], isSure: other !== undefined };
}

/** Whether a word as written looks like an assignment. */
export function looksLikeAssignment(text: string): boolean {
  return /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/.test(text);
}
