import { type Clock, sleep } from '../lib/clock.ts';
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
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) return { status: response.status, body: undefined };
    chunks.push(chunk);
  }
  return { status: response.status, body: parse(Buffer.concat(chunks).toString('utf8')) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The fields of an object from outside; anything else has none. */
export function readFields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
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
