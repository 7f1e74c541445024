import type {
  AssistantBlock,
  Message,
  ModelRequest,
  ResultContent,
  UserBlock,
} from '../../protocol/index.ts';
import { noUsage } from '../../protocol/index.ts';
import type { WireObject } from './dialect.ts';
import { isObject, readObjects, readString } from './dialect.ts';

/** Converts a Chat Completions request to our types. Tool messages join the user message they belong to. */
export function parseOpenai(body: WireObject): ModelRequest {
  const wire = readObjects(body.messages);
  const messages: Message[] = [];
  for (const message of wire) {
    if (message.role === 'assistant') messages.push(assistantMessage(message));
    else if (message.role !== 'system') addUserBlocks(messages, userBlocks(message));
  }
  return {
    system: wire.filter((message) => message.role === 'system').map((message) => readString(message.content)),
    tools: readObjects(body.tools).map(toolSpec),
    messages,
    maxOutputTokens: Number(body.max_tokens ?? body.max_completion_tokens),
    thinking: { type: 'off' },
  };
}

function toolSpec(tool: WireObject) {
  const spec = isObject(tool.function) ? tool.function : {};
  return {
    name: readString(spec.name),
    description: readString(spec.description),
    inputSchema: isObject(spec.parameters) ? spec.parameters : {},
  };
}

function assistantMessage(message: WireObject): Message {
  const thinking = readString(message.reasoning_content);
  const text = readString(message.content);
  const content: AssistantBlock[] = [
    ...(thinking ? [{ type: 'thinking' as const, thinking }] : []),
    ...(text ? [{ type: 'text' as const, text }] : []),
    ...readObjects(message.tool_calls).map(toolUse),
  ];
  return { role: 'assistant', id: '', model: '', content, stop_reason: 'unknown', usage: noUsage };
}

function toolUse(call: WireObject): AssistantBlock {
  const called = isObject(call.function) ? call.function : {};
  return {
    type: 'tool_use',
    id: readString(call.id),
    name: readString(called.name),
    input: JSON.parse(readString(called.arguments)),
  };
}

function addUserBlocks(messages: Message[], blocks: UserBlock[]): void {
  const last = messages.at(-1);
  if (last?.role === 'user') last.content.push(...blocks);
  else messages.push({ role: 'user', content: blocks });
}

function userBlocks(message: WireObject): UserBlock[] {
  const content = readParts(message.content);
  if (message.role !== 'tool') return content;
  return [{ type: 'tool_result', tool_use_id: readString(message.tool_call_id), content }];
}

function readParts(content: unknown): ResultContent[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return readObjects(content).map((part) =>
    part.type === 'image_url' ? image(part.image_url) : { type: 'text', text: readString(part.text) },
  );
}

function image(value: unknown): ResultContent {
  const url = isObject(value) ? readString(value.url) : '';
  const [, media_type = '', data = ''] = /^data:([^;]+);base64,(.*)$/s.exec(url) ?? [];
  return { type: 'image', source: { type: 'base64', media_type, data } };
}
