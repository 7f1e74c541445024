import type { AssistantBlock } from '../../protocol/message.ts';
import type { BlockDelta, ModelEvent } from '../../protocol/model.ts';
import type { Draft } from '../draft.ts';
import type { LiveBlock } from '../entry.ts';

/** How much of a call's input is shown while the model writes it. */
const maxJson = 2_000;

/** A piece of an answer. Pieces may be missing: the complete answer comes with its message. */
export function reduceStream(draft: Draft, agentId: string | null, event: ModelEvent): void {
  switch (event.type) {
    case 'response_started':
      draft.setLive(agentId, { blocks: [], wait: null });
      break;
    case 'block_started':
    case 'block_ended':
      putBlock(draft, agentId, event.index, event.block);
      break;
    case 'block_delta':
      extendBlock(draft, agentId, event.index, event.delta);
      break;
  }
}

function putBlock(draft: Draft, agentId: string | null, index: number, block: AssistantBlock): void {
  const before = draft.conversation(agentId).live.blocks.find((one) => one.index === index);
  const id = before?.id ?? `live.${draft.number(agentId, 'streamed')}`;
  const put = buildBlock(id, index, block, before);
  if (!put) return;
  const { blocks } = draft.conversation(agentId).live;
  draft.setLive(agentId, {
    blocks: before ? blocks.map((one) => (one === before ? put : one)) : [...blocks, put],
  });
}

function buildBlock(
  id: string,
  index: number,
  block: AssistantBlock,
  before: LiveBlock | undefined,
): LiveBlock | undefined {
  switch (block.type) {
    case 'text':
      return { kind: 'text', id, index, text: block.text };
    case 'thinking':
      return { kind: 'thinking', id, index, text: block.thinking };
    case 'tool_use': {
      const { json, size } = before?.kind === 'call' ? before : { json: '', size: 0 };
      return { kind: 'call', id, index, toolName: block.name, json, size };
    }
    case 'redacted_thinking':
      return undefined;
  }
}

function extendBlock(draft: Draft, agentId: string | null, index: number, delta: BlockDelta): void {
  if (delta.type === 'signature') return;
  const { blocks } = draft.conversation(agentId).live;
  const at = blocks.findLastIndex((one) => one.index === index);
  // Its beginning may have been missed.
  const before = blocks[at] ?? openBlock(`live.${draft.number(agentId, 'streamed')}`, index, delta);
  const next = blocks.slice();
  next[at < 0 ? blocks.length : at] = extended(before, delta);
  draft.setLive(agentId, { blocks: next });
}

function openBlock(id: string, index: number, { type }: BlockDelta): LiveBlock {
  if (type === 'tool_input') return { kind: 'call', id, index, toolName: '', json: '', size: 0 };
  return { kind: type === 'thinking' ? 'thinking' : 'text', id, index, text: '' };
}

/** Adding to a string copies nothing: engines join the pieces when the string is read. */
function extended(block: LiveBlock, delta: BlockDelta): LiveBlock {
  if (block.kind === 'call') {
    if (delta.type !== 'tool_input') return block;
    const size = block.size + delta.json.length;
    const json = block.json.length >= maxJson ? block.json : (block.json + delta.json).slice(0, maxJson);
    return { ...block, json, size };
  }
  if (delta.type === 'text') return { ...block, text: block.text + delta.text };
  if (delta.type === 'thinking') return { ...block, text: block.text + delta.thinking };
  return block;
}
