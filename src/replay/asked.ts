import type { Message, ModelRequest } from '../protocol/index.ts';
import type { Mask } from './mask.ts';
import type { TapeEntry } from './tape.ts';

/**
 * A request as JSON strings without secrets: its messages one by one, since most repeat those of the request before.
 */
export interface AskedRequest {
  rest: string;
  messages: readonly string[];
}

type RequestEntry = Extract<TapeEntry, { type: 'request' }>;

/** Writes requests down. A message is serialised once: conversations only grow. */
export function askedWriter(mask: Mask): (request: ModelRequest) => AskedRequest {
  const texts = new WeakMap<Message, string>();
  const formatMessage = (message: Message) => {
    const known = texts.get(message);
    if (known !== undefined) return known;
    const text = mask.hide(JSON.stringify(message));
    texts.set(message, text);
    return text;
  };
  return ({ messages, ...rest }) => ({
    rest: mask.hide(JSON.stringify(rest)),
    messages: messages.map(formatMessage),
  });
}

/** The line of a request, with only what is new since the one before. */
export function requestEntry(
  number: number,
  agent: string | null,
  asked: AskedRequest,
  before: AskedRequest | undefined,
): RequestEntry {
  const differs = asked.messages.findIndex((text, index) => text !== before?.messages[index]);
  const kept = differs < 0 ? asked.messages.length : differs;
  return {
    type: 'request',
    request: number,
    agent,
    kept,
    messages: asked.messages.slice(kept).map((text) => JSON.parse(text)),
    rest: asked.rest === before?.rest ? undefined : JSON.parse(asked.rest),
  };
}

/** The reverse: restores a request from its line. */
export function restoreAsked(entry: RequestEntry, before: AskedRequest | undefined): AskedRequest {
  return {
    rest: entry.rest === undefined ? (before?.rest ?? '{}') : JSON.stringify(entry.rest),
    messages: [
      ...(before?.messages.slice(0, entry.kept) ?? []),
      ...entry.messages.map((message) => JSON.stringify(message)),
    ],
  };
}

export function isSameAsked(a: AskedRequest, b: AskedRequest): boolean {
  return (
    a.rest === b.rest &&
    a.messages.length === b.messages.length &&
    a.messages.every((text, index) => text === b.messages[index])
  );
}

/** For comparing in detail. */
export function parseAsked({ rest, messages }: AskedRequest): unknown {
  return { ...JSON.parse(rest), messages: messages.map((text) => JSON.parse(text)) };
}
