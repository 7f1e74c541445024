import type { AssistantMessage, ModelFailure, ModelRequest } from '../../protocol/index.ts';
import type { Admission } from './limiter.ts';

/** One provider's wire: how to read its requests and write its answers. */
export interface Dialect {
  readonly path: string;
  /** The provider's error messages; empty if the request is valid. */
  violations(body: WireObject): string[];
  parse(body: WireObject): ModelRequest;
  /** The server-sent events of an answer. With `ends` false the last ones are missing. */
  frames(answer: WireAnswer, ends: boolean): Iterable<string>;
  whole(answer: WireAnswer): unknown;
  error(failure: ModelFailure, status: number): unknown;
  /** An error as an event of a stream; absent if it is the same. */
  streamError?(failure: ModelFailure, status: number): unknown;
  /** Absent if the provider does not report its limits. `now` is the wall clock. */
  limitHeaders?(admission: Admission, now: number): Record<string, string>;
}

export interface WireAnswer {
  message: AssistantMessage;
  body: WireObject;
}

export type WireObject = Record<string, unknown>;

export function isObject(value: unknown): value is WireObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The objects of an array field; anything else counts as absent. */
export function readObjects(value: unknown): WireObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function readString(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The status of a failure, if the script does not give one. */
export function chooseStatus(failure: ModelFailure): number {
  return failure.status ?? statuses[failure.kind] ?? 400;
}

const statuses: Partial<Record<ModelFailure['kind'], number>> = {
  authentication: 401,
  billing: 402,
  rate_limited: 429,
  overloaded: 529,
  model_not_found: 404,
  network: 502,
  server: 500,
};
