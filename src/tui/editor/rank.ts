/** Candidates made ready for many queries. */
export interface CandidateIndex {
  readonly texts: readonly string[];
  readonly lower: readonly string[];
  /** Which letters and digits each one has, a bit for each: most are ruled out by one look. */
  readonly letters: Int32Array;
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
  return { texts, lower, letters: Int32Array.from(lower, lettersOf) };
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
  index.lower.forEach((text, at) => {
    if (((index.letters[at] ?? 0) & needed) !== needed) return;
    const score = scoreWords(words, text);
    if (score > Number.NEGATIVE_INFINITY) best.add(at, score);
  });
  return best.list().map(([at, score]) => {
    const positions = words.flatMap((word) => match(word, index.lower[at] ?? '')?.positions ?? []);
    return { text: index.texts[at] ?? '', index: at, score, positions: positions.sort((a, b) => a - b) };
  });
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

function scoreWords(words: readonly string[], text: string): number {
  let total = 0;
  for (const word of words) {
    const found = match(word, text);
    if (!found) return Number.NEGATIVE_INFINITY;
    total += found.score;
  }
  // Of two that match alike the shorter is the nearer.
  return total - text.length / 100;
}

interface Match {
  score: number;
  positions: number[];
}

/** In the name if it is there, else anywhere in the path. */
function match(word: string, text: string): Match | undefined {
  const nameAt = text.lastIndexOf('/', text.length - 2) + 1;
  const inName = word.includes('/') ? undefined : tighten(word, text, nameAt);
  if (inName) return { ...inName, score: inName.score + 12 };
  return tighten(word, text, 0);
}

/** Finds the first end of a match, then from there the nearest start. */
function tighten(word: string, text: string, from: number): Match | undefined {
  const whole = text.indexOf(word, from);
  if (whole !== -1)
    return scoreAt(
      text,
      from,
      Array.from({ length: word.length }, (_, at) => whole + at),
    );
  let end = from - 1;
  for (let at = 0; at < word.length; at++) {
    end = text.indexOf(word[at] ?? '', end + 1);
    if (end === -1) return undefined;
  }
  const positions = new Array<number>(word.length);
  for (let at = word.length - 1, place = end; at >= 0; at--, place--) {
    place = text.lastIndexOf(word[at] ?? '', place);
    positions[at] = place;
  }
  return scoreAt(text, from, positions);
}

function scoreAt(text: string, from: number, positions: number[]): Match {
  let score = 0;
  positions.forEach((place, at) => {
    const previous = positions[at - 1];
    if (place === from || isBoundary(text.charCodeAt(place - 1))) score += 8;
    if (previous === place - 1) score += 6;
    else if (previous !== undefined) score -= Math.min(6, place - previous);
    score += 2;
  });
  return { score, positions };
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
