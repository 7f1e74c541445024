import type { Result } from '../lib/result.ts';
import type { Asker } from '../protocol/index.ts';

/** A search of the web that somebody else does for us. There is none where the model's provider has none. */
export interface WebSearch {
  /** Where the requests go. */
  readonly url: string;
  find(query: SearchQuery, signal: AbortSignal): Promise<Result<SearchAnswer>>;
}

export interface SearchQuery {
  text: string;
  /** Only these, or all but these; never both. */
  allowedDomains?: readonly string[];
  blockedDomains?: readonly string[];
  asker?: Asker;
}

export interface SearchAnswer {
  /** What the provider says of what it found. */
  text: string;
  results: SearchResult[];
}

export interface SearchResult {
  title: string;
  url: string;
  /** How old the page is, in the provider's words. */
  age?: string;
}
