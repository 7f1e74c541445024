import { isRecord } from '../../lib/fields/field-values.ts';
import type { EffortLevel } from '../../protocol/effort.ts';
import type {
  ContentBlock,
  Message,
  ModelRequest,
  ResultContent,
  Thinking,
  ToolResultBlock,
} from '../../protocol/index.ts';
import { readObjects, readString, readTool, sentBack, type WireObject } from './dialect.ts';

/** Converts a Messages API request to our types, so one script serves every wire. */
export function parseAnthropic(body: WireObject): ModelRequest {
  return {
    system:
      typeof body.system === 'string'
        ? [body.system]
        : readObjects(body.system).map((part) => readString(part.text)),
    tools: readObjects(body.tools).map((tool) => readTool(tool, tool.input_schema)),
    messages: readObjects(body.messages).map(parseMessage),
    maxOutputTokens: Number(body.max_tokens),
    thinking: parseThinking(body.thinking),
    effort: isRecord(body.output_config) ? (body.output_config.effort as EffortLevel) : undefined,
  };
}

function parseMessage(message: WireObject): Message {
  const content = readBlocks(message.content).map(parseBlock);
  if (message.role !== 'assistant') return { role: 'user', content: content.filter(isUserBlock) };
  return sentBack(content.filter(isAssistantBlock));
}

export function readBlocks(content: unknown): WireObject[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : readObjects(content);
}

function parseBlock(block: WireObject): ContentBlock {
  // Unknown blocks cannot get here: the checks come first. Known ones are taken as they are.
  const { cache_control: _, ...rest } = block;
  if (rest.type !== 'tool_result') return rest as unknown as ContentBlock;
  const result: ToolResultBlock = {
    type: 'tool_result',
    tool_use_id: readString(rest.tool_use_id),
    content: readBlocks(rest.content) as unknown as ResultContent[],
  };
  return rest.is_error === true ? { ...result, is_error: true } : result;
}

function isUserBlock(block: ContentBlock) {
  return (
    block.type === 'text' ||
    block.type === 'image' ||
    block.type === 'document' ||
    block.type === 'tool_result'
  );
}

function isAssistantBlock(block: ContentBlock) {
  return block.type !== 'image' && block.type !== 'document' && block.type !== 'tool_result';
}

function parseThinking(thinking: unknown): Thinking {
  if (!isRecord(thinking) || thinking.type === 'disabled') return { type: 'off' };
  if (thinking.type === 'adaptive') return { type: 'adaptive' };
  return { type: 'budget', tokens: Number(thinking.budget_tokens) };
}
