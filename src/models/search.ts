import type { Result } from '../lib/result.ts';
import type { Asker } from '../protocol/index.ts';

/** A web search by the model's provider. Absent if the provider has none. */
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
  /** The provider's summary of what it found. */
  text: string;
  results: SearchResult[];
}

export interface SearchResult {
  title: string;
  url: string;
  /** How old the page is, in the provider's words. */
  age?: string;
}
