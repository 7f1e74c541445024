import { isRecord } from '../../lib/fields/field-values.ts';
import type { ProcessMark } from '../../lib/processes/mark.ts';
import type { Usage } from '../../protocol/index.ts';

/** The most that an account and all below it may spend. Absent is no limit. */
export interface Caps {
  /** Whole micro-dollars. */
  microUsd?: number;
  /** Read, cached and written tokens together. */
  tokens?: number;
}

/** The agents from the session's lead down; the lead itself is the empty path. */
export type AccountPath = readonly string[];

/** A cap with the account that it belongs to. */
export interface Limit extends Caps {
  path: AccountPath;
}

/**
 * A request before it is sent. It is valid only if it fits into every limit that it names, given the records before it:
 * so all processes reach the same verdict by reading the same file, without a lock.
 */
export interface ReserveRecord {
  type: 'reserve';
  id: string;
  at: string;
  path: AccountPath;
  model: string;
  /** Null when the price is unknown. */
  microUsd: number | null;
  tokens: number;
  limits: readonly Limit[];
  /** The process that will settle it. */
  owner: ProcessMark;
  /** A share that work on another machine spends: it outlives the process, and whichever has the session settles it. */
  isShare?: true;
}

/** The final cost of the request. The first one for a reservation is used. */
export interface SettleRecord {
  type: 'settle';
  id: string;
  at: string;
  /** The model that answered: perhaps a fallback. */
  model: string;
  /** `reserved`: no usage was reported, so what was reserved stays held. `unsent`: it cost nothing. */
  how: 'reported' | 'reserved' | 'unsent';
  usage: Usage;
  microUsd: number | null;
  tokens: number;
  /** What it may have cost beside what was reported. */
  held?: HeldAmount | undefined;
  /** Of a share: what was spent on each model. They add up to the rest of the record. */
  parts?: readonly SpentPart[];
}

/** The use of one model, for a part of a share. */
export interface SpentPart {
  model: string;
  usage: Usage;
  microUsd: number | null;
  requests: number;
}

/** Held for good: it counts against the caps, and is never shown as spent. */
export interface HeldAmount {
  microUsd: number;
  tokens: number;
}

/** The price of an earlier request, found later. */
export interface PriceRecord {
  type: 'price';
  id: string;
  microUsd: number;
}

export type LedgerRecord = ReserveRecord | SettleRecord | PriceRecord;

/** A record of the file, if it is valid. Anything else is ignored. */
export function readRecord(found: Record<string, unknown>): LedgerRecord | undefined {
  if (typeof found.id !== 'string') return undefined;
  if (found.type === 'reserve' && isReserve(found)) return found as unknown as ReserveRecord;
  if (found.type === 'settle' && isSettle(found)) return found as unknown as SettleRecord;
  if (found.type === 'price' && isAmount(found.microUsd)) return found as unknown as PriceRecord;
  return undefined;
}

function isReserve({ path, model, microUsd, tokens, limits, owner }: Record<string, unknown>): boolean {
  return (
    isPath(path) &&
    typeof model === 'string' &&
    isAmountOrNull(microUsd) &&
    isAmount(tokens) &&
    Array.isArray(limits) &&
    limits.every(isLimit) &&
    isRecord(owner) &&
    typeof owner.pid === 'number' &&
    typeof owner.start === 'string'
  );
}

function isSettle({ model, how, usage, microUsd, tokens, held, parts }: Record<string, unknown>): boolean {
  return (
    (held === undefined || (isRecord(held) && isAmount(held.microUsd) && isAmount(held.tokens))) &&
    typeof model === 'string' &&
    (how === 'reported' || how === 'reserved' || how === 'unsent') &&
    isUsage(usage) &&
    isAmountOrNull(microUsd) &&
    isAmount(tokens) &&
    (parts === undefined || (Array.isArray(parts) && parts.every(isPart)))
  );
}

function isPart(value: unknown): boolean {
  return (
    isRecord(value) &&
    typeof value.model === 'string' &&
    isUsage(value.usage) &&
    isAmountOrNull(value.microUsd) &&
    isAmount(value.requests)
  );
}

function isUsage(usage: unknown): boolean {
  return isRecord(usage) && usageKeys.every((key) => isAmount(usage[key]));
}

const usageKeys: readonly (keyof Usage)[] = [
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
];

function isLimit(value: unknown): boolean {
  return (
    isRecord(value) &&
    isPath(value.path) &&
    (value.microUsd === undefined || isAmount(value.microUsd)) &&
    (value.tokens === undefined || isAmount(value.tokens))
  );
}

function isPath(value: unknown): boolean {
  return Array.isArray(value) && value.every((part) => typeof part === 'string');
}

function isAmount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function isAmountOrNull(value: unknown): boolean {
  return value === null || isAmount(value);
}
