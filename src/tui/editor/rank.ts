import fuzzysort, { type Prepared } from 'fuzzysort';

/** Candidates prepared for many queries. */
export interface CandidateIndex {
  readonly texts: readonly string[];
  readonly prepared: readonly Prepared[];
}

export interface Ranked {
  readonly text: string;
  /** Its place among the candidates. */
  readonly index: number;
}

const maxQuery = 200;

export function indexCandidates(texts: readonly string[]): CandidateIndex {
  return { texts, prepared: texts.map((text) => fuzzysort.prepare(text)) };
}

/** The best matches, best first; without a query the first candidates, in their order. */
export function rank(query: string, candidates: CandidateIndex | readonly string[], max = 20): Ranked[] {
  const { texts, prepared } = 'texts' in candidates ? candidates : indexCandidates(candidates);
  const wanted = query.trim().slice(0, maxQuery);
  if (wanted === '') return texts.slice(0, max).map((text, index) => ({ text, index }));
  const targets = prepared.map((target, index) => ({ target, index }));
  return fuzzysort
    .go(wanted, targets, { key: 'target', limit: max, threshold: 0 })
    .map(({ obj }) => ({ text: texts[obj.index] ?? '', index: obj.index }));
}
