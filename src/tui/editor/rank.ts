/** Candidates made ready for many queries. */
export interface CandidateIndex {
  readonly texts: readonly string[];
  readonly lower: readonly string[];
  /** Which letters and digits each one has, a bit for each: most are ruled out by one look. */
  readonly letters: Int32Array;
  /** Where the last part of each path begins. */
  readonly names: Int32Array;
}

export interface Ranked {
  readonly text: string;
  /** Its place among the candidates. */
  readonly index: number;
  readonly score: number;
  /** Which characters the query matched. */
  readonly positions: number[];
}

export function indexCandidates(texts: readonly string[]): CandidateIndex {
  const lower = texts.map((text) => text.toLowerCase());
  return {
    texts,
    lower,
    letters: Int32Array.from(lower, lettersOf),
    names: Int32Array.from(lower, (text) => text.lastIndexOf('/', text.length - 2) + 1),
  };
}

/**
 * The best matches, best first. The characters of the query must come in order, not together; those at the start of a
 * word count more, those in the last part of a path most. Words of the query are looked for one by one.
 */
export function rank(query: string, candidates: CandidateIndex | readonly string[], most = 20): Ranked[] {
  const index = 'texts' in candidates ? candidates : indexCandidates(candidates);
  const words = query.toLowerCase().slice(0, 200).split(/\s+/).filter(Boolean);
  if (words.length === 0)
    return index.texts.slice(0, most).map((text, at) => ({ text, index: at, score: 0, positions: [] }));
  const needed = words.reduce((bits, word) => bits | lettersOf(word), 0);
  const best = new Best(most);
  const places = new Int32Array(200);
  for (let at = 0; at < index.lower.length; at++) {
    if (((index.letters[at] ?? 0) & needed) !== needed) continue;
    const score = scoreWords(words, index.lower[at] ?? '', index.names[at] ?? 0, places);
    if (score !== undefined) best.add(at, score);
  }
  return best.list().map(([at, score]) => ({
    text: index.texts[at] ?? '',
    index: at,
    score,
    positions: positionsOf(words, index.lower[at] ?? '', index.names[at] ?? 0, places),
  }));
}

/** The highest scores seen, in order; of equal ones the earlier. */
class Best {
  readonly #most: number;
  readonly #kept: [index: number, score: number][] = [];

  constructor(most: number) {
    this.#most = most;
  }

  add(index: number, score: number): void {
    const worst = this.#kept.at(-1);
    if (this.#kept.length >= this.#most && worst && score <= worst[1]) return;
    let at = this.#kept.length;
    while (at > 0 && (this.#kept[at - 1]?.[1] ?? 0) < score) at--;
    this.#kept.splice(at, 0, [index, score]);
    if (this.#kept.length > this.#most) this.#kept.pop();
  }

  list(): readonly [index: number, score: number][] {
    return this.#kept;
  }
}

function scoreWords(
  words: readonly string[],
  text: string,
  name: number,
  places: Int32Array,
): number | undefined {
  let total = 0;
  for (const word of words) {
    const score = match(word, text, name, places);
    if (score === undefined) return undefined;
    total += score;
  }
  // Of two that match alike the shorter is the nearer.
  return total - text.length / 100;
}

function positionsOf(words: readonly string[], text: string, name: number, places: Int32Array): number[] {
  const positions = words.flatMap((word) => {
    match(word, text, name, places);
    return Array.from(places.subarray(0, word.length));
  });
  return positions.sort((a, b) => a - b);
}

/** In the name if it is there, else anywhere in the path. The score; where the characters are is left in `places`. */
function match(word: string, text: string, name: number, places: Int32Array): number | undefined {
  const named = matchFrom(word, text, name, places);
  if (named !== undefined) return named + inName;
  return name === 0 ? undefined : matchFrom(word, text, 0, places);
}

const inName = 12;

/** Together if they are; else each as early as can be, or from the end of that as near as can be: what scores more. */
function matchFrom(word: string, text: string, from: number, places: Int32Array): number | undefined {
  const whole = text.indexOf(word, from);
  if (whole !== -1) {
    for (let at = 0; at < word.length; at++) places[at] = whole + at;
    return scoreOf(word, text, from, places);
  }
  if (!placeEarly(word, text, from, places)) return undefined;
  const early = scoreOf(word, text, from, places);
  const end = places[word.length - 1] ?? 0;
  placeNear(word, text, end, places);
  const near = scoreOf(word, text, from, places);
  if (near >= early) return near;
  placeEarly(word, text, from, places);
  return early;
}

function placeEarly(word: string, text: string, from: number, places: Int32Array): boolean {
  let place = from - 1;
  for (let at = 0; at < word.length; at++) {
    place = text.indexOf(word[at] ?? '', place + 1);
    if (place === -1) return false;
    places[at] = place;
  }
  return true;
}

function placeNear(word: string, text: string, end: number, places: Int32Array): void {
  for (let at = word.length - 1, place = end; at >= 0; at--, place--) {
    place = text.lastIndexOf(word[at] ?? '', place);
    places[at] = place;
  }
}

function scoreOf(word: string, text: string, from: number, places: Int32Array): number {
  let score = 0;
  let previous = -2;
  for (let at = 0; at < word.length; at++) {
    const place = places[at] ?? 0;
    if (place === from || isBoundary(text.charCodeAt(place - 1))) score += 8;
    if (previous === place - 1) score += 9;
    else if (at > 0) score -= Math.min(6, place - previous);
    score += 2;
    previous = place;
  }
  return score;
}

/** `/`, `-`, `_`, `.` or a blank. */
function isBoundary(code: number): boolean {
  return code === 47 || code === 45 || code === 95 || code === 46 || code === 32;
}

function lettersOf(text: string): number {
  let bits = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 97 && code <= 122) bits |= 1 << (code - 97);
    else if (code >= 48 && code <= 57) bits |= 1 << 26;
  }
  return bits;
}
