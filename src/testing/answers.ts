import type { AssistantBlock, AssistantMessage, Message, ModelRequest, Usage } from '../protocol/index.ts';
import { noUsage } from '../protocol/index.ts';
import type { AnswerTurn, ScriptedBlock } from './turns.ts';

/**
 * The complete message of a turn. Ids come from the place in the conversation and the step, so
 * that they repeat from run to run, and differ within a conversation even when it is resumed.
 */
export function answerMessage(
  turn: AnswerTurn,
  request: ModelRequest,
  model: string,
  step: number,
): AssistantMessage {
  const place = `${step}_${request.messages.length}`;
  const content = turn.blocks.map((block, index) => completed(block, `toolu_${place}_${index}`));
  const calls = content.some((block) => block.type === 'tool_use');
  return {
    role: 'assistant',
    id: `msg_${place}`,
    model,
    content,
    stop_reason: turn.stopReason ?? (calls ? 'tool_use' : 'end_turn'),
    usage: { ...sizedUsage(request, content), ...turn.usage },
  };
}

/** At most four pieces, so that streaming is exercised and long texts stay cheap. */
export function pieces(text: string): string[] {
  const size = Math.max(8, Math.ceil(text.length / 4));
  const result: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = start + size;
    const splitsPair = /[\uDC00-\uDFFF]/.test(text.charAt(end));
    result.push(text.slice(start, splitsPair ? end + 1 : end));
    start = splitsPair ? end + 1 : end;
  }
  return result;
}

function completed(block: ScriptedBlock, id: string): AssistantBlock {
  return block.type === 'tool_use'
    ? { type: 'tool_use', id: block.id ?? id, name: block.name, input: block.input }
    : block;
}

function sizedUsage(request: ModelRequest, content: AssistantBlock[]): Usage {
  const output_tokens = tokens(JSON.stringify(content).length);
  return { ...noUsage, input_tokens: inputTokens(request), output_tokens };
}

/** An estimate from the text sizes, the same for every wire. */
export function inputTokens(request: ModelRequest): number {
  const system = request.system.join('').length;
  return tokens(request.messages.reduce((sum, message) => sum + measureSize(message), system));
}

const sizes = new WeakMap<Message, number>();

function measureSize(message: Message): number {
  const known = sizes.get(message);
  if (known !== undefined) return known;
  const size = JSON.stringify(message.content).length;
  sizes.set(message, size);
  return size;
}

function tokens(characters: number): number {
  return Math.max(1, Math.ceil(characters / 4));
}
