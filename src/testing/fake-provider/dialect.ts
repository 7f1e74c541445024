import { isRecord } from '../../lib/fields/field-values.ts';
import {
  type AssistantBlock,
  type AssistantMessage,
  type ImageBlock,
  type Message,
  type ModelFailure,
  type ModelRequest,
  noUsage,
  type ToolSpec,
  type UserBlock,
} from '../../protocol/index.ts';
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

/** The objects of an array field; anything else counts as absent. */
export function readObjects(value: unknown): WireObject[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
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

/** A tool as every wire describes it, in its own places. */
export function readTool(spec: WireObject, schema: unknown): ToolSpec {
  return {
    name: readString(spec.name),
    description: readString(spec.description),
    inputSchema: isRecord(schema) ? schema : {},
  };
}

/** An answer that a request sends back, of which wires say no more than the content. */
export function sentBack(content: AssistantBlock[]): AssistantMessage {
  return { role: 'assistant', id: '', model: '', content, stop_reason: 'unknown', usage: noUsage };
}

/** Parts of one side that follow each other are one message. */
export function addUserBlocks(messages: Message[], blocks: UserBlock[]): void {
  const last = messages.at(-1);
  if (last?.role === 'user') last.content.push(...blocks);
  else messages.push({ role: 'user', content: blocks });
}

/** An image in the address of itself. */
export function readDataUrl(url: string): ImageBlock {
  const [, media_type = '', data = ''] = /^data:([^;]+);base64,(.*)$/s.exec(url) ?? [];
  return { type: 'image', source: { type: 'base64', media_type, data } };
}

/** One event of a stream that names its events. */
export function formatEvent(type: string, data: WireObject): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}

/** OpenAI's word for a status. */
export function nameOpenaiError(status: number): string {
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}
