import {
  type AssistantBlock,
  type AssistantMessage,
  promptTokens,
  type StopReason,
} from '../../protocol/index.ts';
import { pieces } from '../answers.ts';
import type { Dialect, WireAnswer, WireObject } from './dialect.ts';
import { googleViolations, parseGoogle } from './google-request.ts';
import type { CapturedRequest } from './http.ts';

/**
 * The Gemini API, where the path names the model and says that the answer streams. That is copied into the captured
 * body, where the other wires have it.
 */
export function createGoogleDialect(captured: CapturedRequest): Dialect | undefined {
  const [path = ''] = captured.path.split('?');
  const [, model, method] = /^\/v1beta\/models\/([^/:]+):(\w+)$/.exec(path) ?? [];
  if (model === undefined) return undefined;
  if (captured.json) captured.json = { ...captured.json, model, stream: method === 'streamGenerateContent' };
  return { ...dialect, path };
}

const dialect: Dialect = {
  path: '',
  violations: googleViolations,
  parse: parseGoogle,
  *frames(answer, ends) {
    const { message } = answer;
    for (const block of message.content) for (const part of buildParts(block)) yield frame(answer, [part]);
    if (ends) yield frame(answer, [{ text: '' }], finishReason(message.stop_reason));
  },
  whole: (answer) =>
    chunk(answer, answer.message.content.flatMap(wholePart), finishReason(answer.message.stop_reason)),
  error: (failure, status) => ({
    error: { code: status, message: failure.message, status: statusWords[status] ?? 'UNKNOWN' },
  }),
};

/** Thoughts and texts come in pieces, the signature with the last; calls come whole. */
function buildParts(block: AssistantBlock): WireObject[] {
  if (block.type !== 'text' && block.type !== 'thinking') return wholePart(block);
  const thought = block.type === 'thinking';
  const texts = pieces(thought ? block.thinking : block.text);
  const parts = texts.map((text) => ({ text, thought: thought || undefined }));
  const signature = thought ? block.signature : undefined;
  if (!signature) return parts;
  const last = parts.pop() ?? { text: '', thought: true };
  return [...parts, { ...last, thoughtSignature: signature }];
}

function wholePart(block: AssistantBlock): WireObject[] {
  switch (block.type) {
    case 'text':
      return [{ text: block.text }];
    case 'thinking':
      return [{ text: block.thinking, thought: true, thoughtSignature: block.signature }];
    case 'redacted_thinking':
      return [{ text: '', thought: true, thoughtSignature: block.data }];
    case 'tool_use':
      return [{ functionCall: { id: block.id, name: block.name, args: block.input } }];
  }
}

function frame(answer: WireAnswer, parts: WireObject[], finish?: string): string {
  return `data: ${JSON.stringify(chunk(answer, parts, finish))}\n\n`;
}

function chunk({ message, body }: WireAnswer, parts: WireObject[], finish?: string): WireObject {
  const content = { role: 'model', parts };
  return {
    candidates: [{ index: 0, content, finishReason: finish || undefined }],
    usageMetadata: buildUsage(message),
    modelVersion: body.model,
    responseId: message.id,
  };
}

function buildUsage({ usage }: AssistantMessage): WireObject {
  const prompt = promptTokens(usage);
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: usage.output_tokens,
    cachedContentTokenCount: usage.cache_read_input_tokens,
    totalTokenCount: prompt + usage.output_tokens,
  };
}

function finishReason(reason: StopReason): string {
  if (reason === 'max_tokens') return 'MAX_TOKENS';
  return reason === 'refusal' ? 'SAFETY' : 'STOP';
}

const statusWords: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};
