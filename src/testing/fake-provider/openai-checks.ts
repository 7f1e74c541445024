import type { WireObject } from './dialect.ts';
import { isObject, objectsIn, textIn } from './dialect.ts';

/** Errors of a Chat Completions server: the mistakes that a harness is likely to make. */
export function openaiViolations(body: WireObject): string[] {
  const messages = objectsIn(body.messages);
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
    ...(roles.includes(textIn(message.role)) ? [] : [`messages.${index}: unknown role '${message.role}'`]),
    ...objectsIn(message.tool_calls)
      .filter((call) => !isJson(isObject(call.function) ? call.function.arguments : undefined))
      .map((call) => `messages.${index}: arguments of tool call ${textIn(call.id)} are not JSON`),
    ...(message.role !== 'assistant' || message.content || objectsIn(message.tool_calls).length > 0
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
      const id = textIn(message.tool_call_id);
      if (!open.delete(id)) wrong.push(`messages.${index}: tool message for unknown tool_call_id '${id}'`);
      continue;
    }
    wrong.push(...unanswered(open, index));
    open = new Set(objectsIn(message.tool_calls).map((call) => textIn(call.id)));
  }
  return [...wrong, ...unanswered(open, messages.length)];
}

function unanswered(open: Set<string>, index: number): string[] {
  return [...open].map((id) => `messages.${index}: tool_call_id '${id}' has no response message before it`);
}

function isJson(value: unknown): boolean {
  try {
    JSON.parse(textIn(value));
    return true;
  } catch {
    return false;
  }
}
