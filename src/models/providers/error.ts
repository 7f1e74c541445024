import type { Clock } from '../../lib/clock.ts';
import { parseJson } from '../../lib/fields/parse-json.ts';
import { formatWait } from '../../lib/text/duration.ts';
import { endSentence } from '../../lib/text/text.ts';
import type { HeaderReader } from '../limits.ts';
import { type AskedWait, readWait } from './reset.ts';

/** The provider's own error, whatever the library wrapped it in. */
export interface ProviderError {
  status?: number;
  /** `overloaded_error`, `rate_limit_error` … */
  kind?: string;
  /** `context_length_exceeded`, `insufficient_quota` … */
  code?: string;
  /** One line, bounded, free of control characters; may be empty. */
  message: string;
  retryAfterMs?: number;
}

/** Reads an error by its shape: the library's classes are not loaded before they are needed. */
export function providerError(error: unknown, clock: Clock): ProviderError {
  const outer = asObject(error);
  const body = errorBody(outer);
  const status = readNumber(outer.statusCode) ?? readStatus(body.code) ?? readStatus(outer.code);
  const kind = readString(body.type) ?? readString(outer.type);
  const code = readString(body.code) ?? readString(outer.code);
  const message = cleanText(readString(body.message) ?? readString(outer.message) ?? '');
  const header = headerReader(asObject(outer.responseHeaders), body);
  const wait = readWait({ header, body, message }, clock);
  const told = wait?.askedMs === undefined ? message : `${endSentence(message)}${describeCut(wait)}`;
  return { message: told, status, kind, code, retryAfterMs: wait?.ms };
}

/** What the user can do is said here, since only here it is known that something is wrong. */
function describeCut({ ms, askedMs = 0 }: AskedWait): string {
  return ` It asked for a wait of ${formatWait(askedMs)}, of which ${formatWait(ms)} are believed; cadre doctor --fix forgets it.`;
}

/** One line that is safe to show. */
export function cleanText(text: string): string {
  const line = text.replace(/[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+/g, ' ').trim();
  return line.length > maxLength ? `${line.slice(0, maxLength)}…` : line;
}

const maxLength = 500;

/** `{error: {...}}` of either API: parsed by the library, which drops fields that it does not know, or still text. */
function errorBody(outer: Record<string, unknown>): Record<string, unknown> {
  const parsed = asObject(asObject(outer.data).error ?? outer.data);
  const body = asObject(parseJson(readString(outer.responseBody) ?? ''));
  const error = asObject(body.error ?? body);
  if (readString(parsed.message)) return { ...error, ...parsed };
  return typeof body.error === 'string' ? { message: body.error } : error;
}

/** A gateway repeats the headers of the provider behind it in the body. */
function headerReader(headers: Record<string, unknown>, body: Record<string, unknown>): HeaderReader {
  const repeated = Object.entries(asObject(asObject(body.metadata).headers));
  const inner = new Map(repeated.map(([name, value]) => [name.toLowerCase(), value]));
  return (name) => readString(headers[name]) ?? readString(inner.get(name));
}

/** Within a stream, some gateways give the status as the code of the error. */
function readStatus(code: unknown): number | undefined {
  return typeof code === 'number' && code >= 400 && code <= 599 ? code : undefined;
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function readString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function readNumber(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
