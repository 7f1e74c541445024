import type { ContentBlock, DocumentBlock, Message, ModelRequest, ToolSpec } from '../../protocol/index.ts';
import { type ImageSize, imageSize } from './image-size.ts';
import { imageTokens } from './image-tokens.ts';
import { knownPrefix } from './prefixes.ts';

/**
 * The most tokens that a request's prompt can count: the last reported count for its unchanged beginning, and one token
 * per UTF-8 byte for the rest, since no tokenizer makes more. Images count by their size.
 */
export function countInput(model: string, request: ModelRequest): number {
  const known = knownPrefix(model, request);
  let tokens = known ? known.tokens : countHead(request);
  for (let index = known?.messages ?? 0; index < request.messages.length; index++) {
    const message = request.messages[index];
    if (message) tokens += countMessage(model, message);
  }
  return tokens;
}

/** A provider's additions: its prompt for tools and thinking, and the marks around messages. */
const providersOwn = 1_024;
const perPart = 32;

function countHead({ system, tools }: ModelRequest): number {
  const parts = [...system.map(countBytes), ...tools.map(toolBytes)];
  return parts.reduce((sum, bytes) => sum + bytes + perPart, providersOwn);
}

const toolSizes = new WeakMap<ToolSpec, number>();

function toolBytes(tool: ToolSpec): number {
  const known = toolSizes.get(tool);
  if (known !== undefined) return known;
  const bytes =
    countBytes(tool.name) + countBytes(tool.description) + countBytes(JSON.stringify(tool.inputSchema));
  toolSizes.set(tool, bytes);
  return bytes;
}

interface MessageSize {
  bytes: number;
  images: (ImageSize | undefined)[];
}

/** A message never changes, so it is measured once. */
const messageSizes = new WeakMap<Message, MessageSize>();

function countMessage(model: string, message: Message): number {
  const size = messageSizes.get(message) ?? measure(message);
  messageSizes.set(message, size);
  return size.images.reduce((sum, image) => sum + imageTokens(model, image), size.bytes);
}

function measure(message: Message): MessageSize {
  const size: MessageSize = { bytes: perPart, images: [] };
  for (const block of message.content) measureBlock(block, size);
  return size;
}

function measureBlock(block: ContentBlock, size: MessageSize): void {
  size.bytes += perPart;
  switch (block.type) {
    case 'text':
      size.bytes += countBytes(block.text);
      return;
    case 'thinking':
      // Hidden thinking is inside its signature.
      size.bytes += countBytes(block.thinking) + countBytes(block.signature ?? '');
      return;
    case 'redacted_thinking':
      size.bytes += countBytes(block.data);
      return;
    case 'tool_use':
      size.bytes += countBytes(block.id) + countBytes(block.name) + countBytes(JSON.stringify(block.input));
      return;
    case 'tool_result':
      size.bytes += countBytes(block.tool_use_id);
      for (const part of block.content) measureBlock(part, size);
      return;
    case 'image':
      size.images.push(block.source.type === 'base64' ? imageSize(block.source.data) : undefined);
      return;
    case 'document':
      size.bytes += countDocumentTokens(block);
  }
}

function countBytes(text: string): number {
  return Buffer.byteLength(text);
}

/** Text and picture of a full page. */
const tokensPerPage = 4_600;
/** A page of text alone is smaller, one of pictures larger. */
const bytesPerPage = 50_000;
/** Of a document that only its provider sees. */
const assumedPages = 20;

/**
 * What a PDF is likely to count, rather high. Its pages are counted where they can be read without unpacking; how many
 * there are is known for sure only to the provider, which reports what it counted.
 */
export function countDocumentTokens({ source }: DocumentBlock): number {
  if (source.type === 'url') return assumedPages * tokensPerPage;
  const bytes = Buffer.from(source.data, 'base64');
  const marked = bytes.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;
  return Math.max(marked, Math.ceil(bytes.length / bytesPerPage), 1) * tokensPerPage;
}
