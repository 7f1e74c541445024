import type { ModelFailure } from '../protocol/index.ts';
import { maxPacedMs } from './pacer/note.ts';

/** For failures of the server or the network, the first attempt included. */
export const defaultAttempts = 10;
/** If nothing listens, trying for minutes does not help: it is most likely the wrong address. */
const maxUnsent = 3;
/** An answer that makes no sense rarely does so the next time, and each one may be charged. */
const maxMalformed = 3;

/** How many attempts a failure of this kind is worth, the first included. */
export function countAttempts({ kind, unsent }: ModelFailure, maxAttempts = defaultAttempts): number {
  if (kind === 'malformed') return Math.min(maxAttempts, maxMalformed);
  if (!isTrouble(kind)) return 1;
  return unsent ? Math.min(maxAttempts, maxUnsent) : maxAttempts;
}

/**
 * The provider asks to wait. That is waited for, and never counted. So is a server error that names a longer wait than pacing does:
 * nothing can be sent until then, whatever the status is.
 */
export function isRefusal({ kind, retryAfterMs = 0 }: ModelFailure): boolean {
  return kind === 'rate_limited' || kind === 'overloaded' || (isTrouble(kind) && retryAfterMs > maxPacedMs);
}

/**
 * No request can succeed until the user acts: the key, the credit, the model. The first two concern everything that is
 * sent with that key.
 */
export function isTerminal({ kind }: ModelFailure): boolean {
  return kind === 'authentication' || kind === 'billing' || kind === 'model_not_found';
}

/** Counts the failed attempts of one request, at whatever position of the answer they failed. */
export class Attempts {
  readonly #maxAttempts: number;
  #troubles = 0;
  #malformed = 0;

  constructor(maxAttempts = defaultAttempts) {
    this.#maxAttempts = maxAttempts;
  }

  /** How long to wait before the next attempt; undefined when there is none. */
  next(failure: ModelFailure, random: number): number | undefined {
    const isMalformed = failure.kind === 'malformed';
    const failed = isMalformed ? ++this.#malformed : ++this.#troubles;
    if (failed >= countAttempts(failure, this.#maxAttempts)) return undefined;
    return isMalformed ? 0 : computeBackoff(failed, failure, random);
  }
}

const firstDelayMs = 500;
const maxDelayMs = 32_000;

/** Doubles, with up to a quarter more at random. A provider that names a time is never asked before it. */
export function computeBackoff(attempt: number, { retryAfterMs }: ModelFailure, random: number): number {
  const doubled = Math.min(firstDelayMs * 2 ** (attempt - 1), maxDelayMs);
  return Math.round(Math.max(doubled, retryAfterMs ?? 0) * (1 + random / 4));
}

function isTrouble(kind: ModelFailure['kind']): boolean {
  return kind === 'server' || kind === 'network';
}
