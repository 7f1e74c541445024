import type { WireObject } from './dialect.ts';
import { isObject, readObjects, readString } from './dialect.ts';

/** Errors of a Chat Completions server: the mistakes that a harness is likely to make. */
export function openaiViolations(body: WireObject): string[] {
  const messages = readObjects(body.messages);
  return [
    ...(typeof body.model === 'string' && body.model ? [] : ['model: field required']),
    ...(messages.length > 0 ? [] : ['messages: at least one message is required']),
    ...messages.flatMap(messageViolations),
    ...pairingViolations(messages),
  ];
}

const roles = ['system', 'user', 'assistant', 'tool'];

function messageViolations(message: WireObject, index: number): string[] {
  return [
    ...(roles.includes(readString(message.role))
      ? []
      : [`messages.${index}: unknown role '${message.role}'`]),
    ...readObjects(message.tool_calls)
      .filter((call) => !isJson(isObject(call.function) ? call.function.arguments : undefined))
      .map((call) => `messages.${index}: arguments of tool call ${readString(call.id)} are not JSON`),
    ...(message.role !== 'assistant' || message.content || readObjects(message.tool_calls).length > 0
      ? []
      : [`messages.${index}: an assistant message needs content or tool_calls`]),
  ];
}

/** Every call is answered by a tool message before any other message, and nothing else is. */
function pairingViolations(messages: WireObject[]): string[] {
  const wrong: string[] = [];
  let open = new Set<string>();
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      const id = readString(message.tool_call_id);
      if (!open.delete(id)) wrong.push(`messages.${index}: tool message for unknown tool_call_id '${id}'`);
      continue;
    }
    wrong.push(...unanswered(open, index));
    open = new Set(readObjects(message.tool_calls).map((call) => readString(call.id)));
  }
  return [...wrong, ...unanswered(open, messages.length)];
}

function unanswered(open: Set<string>, index: number): string[] {
  return [...open].map((id) => `messages.${index}: tool_call_id '${id}' has no response message before it`);
}

function isJson(value: unknown): boolean {
  try {
    JSON.parse(readString(value));
    return true;
  } catch {
    return false;
  }
}
