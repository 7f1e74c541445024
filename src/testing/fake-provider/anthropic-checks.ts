import { isRecord } from '../../lib/fields/field-values.ts';
import { readBlocks } from './anthropic-request.ts';
import type { WireObject } from './dialect.ts';
import { readObjects, readString } from './dialect.ts';

/** Errors of the Messages API: the mistakes that a harness is likely to make. */
export function anthropicViolations(body: WireObject): string[] {
  const messages = readObjects(body.messages);
  return [
    ...fieldViolations(body),
    ...toolViolations(readObjects(body.tools)),
    ...roleViolations(messages),
    ...messages.flatMap(contentViolations),
    ...pairingViolations(messages),
    ...cacheViolations(body),
  ];
}

function fieldViolations(body: WireObject): string[] {
  const thinking = isRecord(body.thinking) ? body.thinking : {};
  const maxTokens = Number(body.max_tokens);
  return [
    ...(typeof body.model === 'string' && body.model ? [] : ['model: field required']),
    ...(Number.isInteger(maxTokens) && maxTokens > 0 ? [] : ['max_tokens: field required']),
    ...(Number(thinking.budget_tokens ?? 0) < maxTokens
      ? []
      : ['max_tokens must be greater than thinking.budget_tokens']),
  ];
}

function toolViolations(tools: WireObject[]): string[] {
  const names = tools.map((tool) => readString(tool.name));
  return [
    ...names
      .filter((name) => !/^[a-zA-Z0-9_-]{1,128}$/.test(name))
      .map((name) => `tools: bad name '${name}'`),
    ...(new Set(names).size === names.length ? [] : ['tools: tool names must be unique']),
    ...tools
      .filter((tool) => !isRecord(tool.input_schema) || tool.input_schema.type !== 'object')
      .map((tool) => `tools: input_schema of '${readString(tool.name)}' must be of type object`),
  ];
}

function roleViolations(messages: WireObject[]): string[] {
  if (messages.length === 0) return ['messages: at least one message is required'];
  return messages.flatMap((message, index) => {
    const expected = index % 2 === 0 ? 'user' : 'assistant';
    return message.role === expected
      ? []
      : [`messages.${index}: role must be '${expected}', got '${message.role}'`];
  });
}

const userTypes = ['text', 'image', 'document', 'tool_result'];
const assistantTypes = ['text', 'thinking', 'redacted_thinking', 'tool_use'];

function contentViolations(message: WireObject, index: number): string[] {
  const blocks = readBlocks(message.content);
  const allowed = message.role === 'assistant' ? assistantTypes : userTypes;
  return [
    ...(blocks.length > 0 ? [] : [`messages.${index}: content must not be empty`]),
    ...blocks
      .filter((block) => !allowed.includes(readString(block.type)))
      .map((block) => `messages.${index}: block of type '${block.type}' is not allowed here`),
    ...blocks
      .filter((block) => block.type === 'text' && readString(block.text).trim() === '')
      .map(() => `messages.${index}: text content blocks must be non-empty`),
    ...blocks
      .filter((block) => block.type === 'thinking' && !readString(block.signature))
      .map(() => `messages.${index}: thinking.signature: field required`),
  ];
}

function pairingViolations(messages: WireObject[]): string[] {
  const uses = messages.map((message) => listIds(message, 'tool_use', 'id'));
  const results = messages.map((message) => listIds(message, 'tool_result', 'tool_use_id'));
  const all = uses.flat();
  return [
    ...(new Set(all).size === all.length ? [] : ['messages: `tool_use` ids must be unique']),
    ...uses.flatMap((ids, index) =>
      ids
        .filter((id) => !results[index + 1]?.includes(id))
        .map((id) => `messages.${index}: \`tool_use\` ${id} without a \`tool_result\` immediately after`),
    ),
    ...results.flatMap((ids, index) =>
      ids
        .filter((id, place) => !uses[index - 1]?.includes(id) || ids.indexOf(id) !== place)
        .map((id) => `messages.${index}: unexpected \`tool_result\` ${id}`),
    ),
  ];
}

function listIds(message: WireObject, type: string, field: string): string[] {
  return readBlocks(message.content)
    .filter((block) => block.type === type)
    .map((block) => readString(block[field]));
}

function cacheViolations(body: WireObject): string[] {
  const count = cacheControls(body.tools) + cacheControls(body.system) + cacheControls(body.messages);
  return count <= 4 ? [] : [`A maximum of 4 blocks with cache_control may be provided. Found ${count}.`];
}

function cacheControls(value: unknown): number {
  return readObjects(value).reduce(
    (sum, item) => sum + (isRecord(item.cache_control) ? 1 : 0) + cacheControls(item.content),
    0,
  );
}
