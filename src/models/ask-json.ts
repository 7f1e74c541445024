import { type Clock, sleep } from '../lib/clock.ts';
import { isRecord } from '../lib/fields/field-values.ts';
import { parseJson } from '../lib/fields/parse-json.ts';
import { readAll } from '../lib/read-all.ts';
import type { Fetch } from './transport.ts';

export interface ProviderQuestion {
  fetch: Fetch;
  clock: Clock;
  patienceMs: number;
}

/** `status` 0: no answer in time. `body` is undefined when the answer is not JSON, or too large. */
export interface JsonAnswer {
  status: number;
  body: unknown;
}

/** One short request to a server, bounded in time and size. Never rejects. */
export async function askJson(
  question: ProviderQuestion,
  url: string,
  init: RequestInit = {},
): Promise<JsonAnswer> {
  const controller = new AbortController();
  const answer = read(question.fetch, url, { ...init, redirect: 'error', signal: controller.signal });
  const late = sleep(question.clock, question.patienceMs, controller.signal).then(() => silence);
  const first = await Promise.race([answer.catch(() => silence), late]);
  controller.abort();
  return first;
}

const silence: JsonAnswer = { status: 0, body: undefined };
const maxBytes = 8 * 1024 * 1024;

async function read(fetch: Fetch, url: string, init: RequestInit): Promise<JsonAnswer> {
  const response = await fetch(url, init);
  const text = await readAll(response.body, maxBytes);
  return { status: response.status, body: parseJson(text?.toString() ?? '') };
}

/** The fields of an object from outside; anything else has none. */
export function readFields(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

export function readList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function readCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

/** An id that can be shown and typed. */
export function readModelId(value: unknown): string[] {
  return typeof value === 'string' && /^[\x21-\x7e]{1,200}$/.test(value) ? [value] : [];
}
