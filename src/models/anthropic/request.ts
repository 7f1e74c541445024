import { version } from '../../lib/version.ts';
import type {
  AssistantBlock,
  Message,
  ModelRequest,
  ToolResultBlock,
  ToolSpec,
  UserBlock,
} from '../../protocol/index.ts';
import { closestEffort } from '../effort.ts';
import type { Endpoint } from '../endpoints.ts';
import type { KnownModel } from '../facts.ts';
import { isSealedProof } from '../sdk/proof.ts';
import { toPlainWord } from '../tool-input.ts';

/**
 * The body of a Messages API request. Tools, system and messages come in the order in which the provider caches them,
 * and a message and a tool are serialised once: every request of a session begins with the bytes of the one before, except for the
 * cache marks, without a second pass over the history.
 */
export function anthropicBody(model: string, request: ModelRequest, facts: KnownModel): string {
  const head = {
    model,
    max_tokens: request.maxOutputTokens,
    stream: true,
    ...convertThinking(request, facts),
    ...convertEffort(request, facts),
  };
  const tools = request.tools.length > 0 ? `,"tools":[${renderTools(request.tools)}]` : '';
  const system =
    request.system.length > 0 ? `,"system":${JSON.stringify(convertSystem(request.system))}` : '';
  return `${JSON.stringify(head).slice(0, -1)}${tools}${system},"messages":[${renderMessages(request.messages)}]}`;
}

/**
 * Four marks are allowed: the last tool, the last system part, and the last two user messages. The earlier of these is
 * where the previous request ended, which is what the provider looks up.
 */
const mark = { cache_control: { type: 'ephemeral' } };

/** A description never changes, and there are twelve kilobytes of them in each request. */
const described = new WeakMap<ToolSpec, string>();

function renderTools(tools: readonly ToolSpec[]): string {
  const texts = tools.map(renderTool);
  return `${texts.join(',').slice(0, -1)},${JSON.stringify(mark).slice(1)}`;
}

function renderTool(tool: ToolSpec): string {
  const known = described.get(tool);
  if (known !== undefined) return known;
  const { name, description, inputSchema } = tool;
  const text = JSON.stringify({ name, description, input_schema: inputSchema });
  described.set(tool, text);
  return text;
}

function convertSystem(system: readonly string[]): object[] {
  return system.map((text, index) => ({ type: 'text', text, ...(index === system.length - 1 ? mark : {}) }));
}

const rendered = new WeakMap<Message, string>();

function renderMessages(messages: readonly Message[]): string {
  const parts: string[] = [];
  let marks = 2;
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (!message) continue;
    const isMarked = message.role === 'user' && marks > 0;
    if (isMarked) marks--;
    const text = isMarked ? renderMessage(message, true) : renderOnce(message);
    if (text !== '') parts.push(text);
  }
  return parts.reverse().join(',');
}

function renderOnce(message: Message): string {
  const known = rendered.get(message);
  if (known !== undefined) return known;
  const text = renderMessage(message, false);
  rendered.set(message, text);
  return text;
}

/** Empty for a message without anything to send. */
function renderMessage(message: Message, isMarked: boolean): string {
  const blocks =
    message.role === 'user' ? userBlocks(message.content) : message.content.flatMap(assistantBlock);
  if (blocks.length === 0) return '';
  const content = isMarked ? blocks.with(-1, { ...blocks.at(-1), ...mark }) : blocks;
  return JSON.stringify({ role: message.role, content });
}

/** Results first, as the API requires. An error carries text only; its images follow as the user's. */
function userBlocks(blocks: readonly UserBlock[]): object[] {
  const results = blocks.filter((block) => block.type === 'tool_result');
  const others = blocks.filter((block) => block.type !== 'tool_result');
  return [
    ...results.map(resultBlock),
    ...results.flatMap((result) =>
      result.is_error ? result.content.filter((block) => block.type === 'image') : [],
    ),
    ...others.filter((block) => block.type !== 'text' || block.text.trim() !== ''),
  ];
}

function resultBlock(result: ToolResultBlock): object {
  const content = result.content.filter((block) => block.type === 'text' || !result.is_error);
  return {
    ...result,
    tool_use_id: toPlainWord(result.tool_use_id),
    content: content.length > 0 ? content : [{ type: 'text', text: '(no output)' }],
  };
}

/** Thinking goes back unchanged with its signature. Without one it is another provider's and would be refused. */
function assistantBlock(block: AssistantBlock): AssistantBlock[] {
  if (block.type === 'text') return block.text.trim() === '' ? [] : [block];
  if (block.type === 'thinking') return block.signature && !isSealedProof(block.signature) ? [block] : [];
  if (block.type !== 'tool_use') return [block];
  const { invalidInput: _, ...call } = block;
  return [{ ...call, id: toPlainWord(call.id), name: toPlainWord(call.name) }];
}

function convertEffort({ effort }: ModelRequest, facts: KnownModel): { output_config?: object } {
  const level = closestEffort(effort, facts.efforts);
  return level === undefined ? {} : { output_config: { effort: level } };
}

/** The provider's own lower limit, and the tokens that we reserve for the answer. */
const minBudget = 1_024;

/** The closest supported setting; the session reports it if it differs from the requested one. */
function convertThinking(
  { thinking, maxOutputTokens }: ModelRequest,
  facts: KnownModel,
): { thinking?: object } {
  const can = (kind: string) => facts.thinking.some((known) => known === kind);
  if (thinking.type === 'off' || facts.thinking.length === 0) {
    if (can('off')) return { thinking: { type: 'disabled' } };
    return facts.thinksBetweenTools ? { thinking: { type: 'between_tools' } } : {};
  }
  const isAdaptive = can('adaptive') && (thinking.type === 'adaptive' || !can('budget'));
  if (isAdaptive) return { thinking: { type: 'adaptive' } };
  const wanted = thinking.type === 'budget' ? thinking.tokens : Math.floor(maxOutputTokens / 2);
  const budget = Math.min(Math.max(wanted, minBudget), maxOutputTokens - minBudget);
  if (budget < minBudget) return can('off') ? { thinking: { type: 'disabled' } } : {};
  return { thinking: { type: 'enabled', budget_tokens: budget } };
}

export function buildHeaders({ key, token }: Endpoint, accept: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept,
    'anthropic-version': '2023-06-01',
    'user-agent': `cadre/${version}`,
    ...(token ? { authorization: `Bearer ${token}` } : { 'x-api-key': key ?? 'none' }),
  };
}

/** A server's error, in the shape in which failures are read. */
export function describeRefusal({ status, headers }: Response, responseBody: string): unknown {
  return { statusCode: status, responseHeaders: Object.fromEntries(headers), responseBody };
}
