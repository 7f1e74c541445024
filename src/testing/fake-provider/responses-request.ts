import { isRecord } from '../../lib/fields/field-values.ts';
import type {
  AssistantBlock,
  Message,
  ModelRequest,
  ResultContent,
  UserBlock,
} from '../../protocol/index.ts';
import {
  addUserBlocks,
  readDataUrl,
  readObjects,
  readString,
  readTool,
  sentBack,
  type WireObject,
} from './dialect.ts';

/** Converts a Responses request to our types. Consecutive items of one side make one message. */
export function parseResponses(body: WireObject): ModelRequest {
  const items = readObjects(body.input);
  const messages: Message[] = [];
  for (const item of items) {
    if (isSystem(item)) continue;
    const block = assistantBlock(item);
    if (block) addAssistant(messages, block);
    else addUserBlocks(messages, userBlocks(item));
  }
  const reasoning = isRecord(body.reasoning) ? body.reasoning : {};
  const thinks = body.reasoning !== undefined && reasoning.effort !== 'none';
  return {
    system: items.filter(isSystem).map((item) => readString(item.content)),
    tools: readObjects(body.tools).map((tool) => readTool(tool, tool.parameters)),
    messages,
    maxOutputTokens: Number(body.max_output_tokens),
    thinking: { type: thinks ? 'adaptive' : 'off' },
  };
}

/** Errors of the API: the mistakes that a harness is likely to make. */
export function responsesViolations(body: WireObject): string[] {
  const items = readObjects(body.input);
  return [
    ...(typeof body.model === 'string' && body.model ? [] : ['model: field required']),
    ...(items.length > 0 ? [] : ['input: at least one item is required']),
    ...(body.store === false ? [] : ['store: nothing may be stored here']),
    ...items.flatMap((item, index) => itemViolations(item, index, items)),
  ];
}

function itemViolations(item: WireObject, index: number, items: WireObject[]): string[] {
  const next = items[index + 1];
  switch (item.type) {
    case 'reasoning':
      if (!readString(item.encrypted_content))
        return [`input.${index}: item '${readString(item.id)}' is not stored`];
      return next && assistantBlock(next)
        ? []
        : [`input.${index}: 'reasoning' was provided without its required following item`];
    case 'item_reference':
      return [`input.${index}: item '${readString(item.id)}' is not stored`];
    case 'function_call':
      return items.some((other) => other.type === 'function_call_output' && other.call_id === item.call_id)
        ? []
        : [`input.${index}: No tool output found for function call ${readString(item.call_id)}.`];
    case 'function_call_output':
      return items
        .slice(0, index)
        .some((other) => other.type === 'function_call' && other.call_id === item.call_id)
        ? []
        : [
            `input.${index}: No tool call found for function call output with call_id ${readString(item.call_id)}.`,
          ];
    default:
      return [];
  }
}

function isSystem(item: WireObject): boolean {
  return item.role === 'developer' || item.role === 'system';
}

function assistantBlock(item: WireObject): AssistantBlock | undefined {
  if (item.type === 'reasoning') {
    const thinking = readObjects(item.summary)
      .map((part) => readString(part.text))
      .join('');
    return { type: 'thinking', thinking, signature: readString(item.encrypted_content) };
  }
  if (item.type === 'function_call') {
    const { call_id, name } = item;
    return {
      type: 'tool_use',
      id: readString(call_id),
      name: readString(name),
      input: JSON.parse(readString(item.arguments)),
    };
  }
  if (item.role !== 'assistant') return undefined;
  const text =
    typeof item.content === 'string'
      ? item.content
      : readObjects(item.content)
          .map((part) => readString(part.text))
          .join('');
  return { type: 'text', text };
}

function userBlocks(item: WireObject): UserBlock[] {
  if (item.type !== 'function_call_output') return readContent(item.content);
  return [{ type: 'tool_result', tool_use_id: readString(item.call_id), content: readContent(item.output) }];
}

function readContent(content: unknown): ResultContent[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return readObjects(content).map((part) =>
    part.type === 'input_image'
      ? readDataUrl(readString(part.image_url))
      : { type: 'text', text: readString(part.text) },
  );
}

function addAssistant(messages: Message[], block: AssistantBlock): void {
  const last = messages.at(-1);
  if (last?.role === 'assistant') last.content.push(block);
  else messages.push(sentBack([block]));
}
