import type { LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider';
import type { ModelEvent, StopReason, Usage } from '../protocol/index.ts';
import { AnswerBlocks } from './answer-blocks.ts';
import { IncompleteAnswer } from './failures.ts';

type Part = LanguageModelV4StreamPart;
type Finish = Extract<Part, { type: 'finish' }>;

/** The library's stream parts as our events. Ends with `response_ended`, or with what `failed` makes of the error. */
export async function* readAnswer(
  parts: AsyncIterable<Part>,
  model: string,
  failed: (error: unknown) => ModelEvent,
): AsyncGenerator<ModelEvent> {
  const blocks = new AnswerBlocks();
  let started: { id: string; model: string } | undefined;
  for await (const part of parts) {
    if (part.type === 'error') return yield failed(part.error);
    const lost = lostContent(part);
    if (lost) return yield failed(new IncompleteAnswer(`The request could not be sent in full: ${lost}`));
    if (part.type === 'finish') {
      const stop = stopReason(part);
      if (stop === undefined) break;
      const content = yield* blocks.finish(stop);
      if (typeof content === 'string') return yield failed(new IncompleteAnswer(content));
      const calls = content.some((block) => block.type === 'tool_use');
      const stop_reason = calls && stop === 'end_turn' ? 'tool_use' : stop;
      const head = started ?? { id: '', model };
      if (!started) yield { type: 'response_started', ...head };
      const message = {
        role: 'assistant' as const,
        ...head,
        content,
        stop_reason,
        usage: usageOf(part.usage),
      };
      return yield { type: 'response_ended', message };
    }
    const events = [...blocks.take(part)];
    if (!started && (part.type === 'response-metadata' || events.length > 0)) {
      started =
        part.type === 'response-metadata'
          ? { id: part.id ?? '', model: part.modelId ?? model }
          : { id: '', model };
      yield { type: 'response_started', ...started };
    }
    yield* events;
  }
  yield failed(new IncompleteAnswer('The answer broke off before its end.'));
}

/** The library only warns when it leaves something out; that must not pass in silence. */
function lostContent(part: Part): string | undefined {
  if (part.type !== 'stream-start') return undefined;
  return part.warnings.flatMap((warning) => (warning.type === 'other' ? [warning.message] : []))[0];
}

/** Undefined when the answer has no proper end. */
function stopReason({ finishReason: { unified, raw } }: Finish): StopReason | undefined {
  switch (unified) {
    case 'stop':
      return raw === 'stop_sequence' ? 'stop_sequence' : raw === 'pause_turn' ? 'unknown' : 'end_turn';
    case 'tool-calls':
      return 'tool_use';
    case 'length':
      return 'max_tokens';
    case 'content-filter':
      return 'refusal';
    case 'other':
      return 'unknown';
    default:
      return undefined;
  }
}

function usageOf({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage {
  return {
    input_tokens: inputTokens.noCache ?? inputTokens.total ?? 0,
    output_tokens: outputTokens.total ?? 0,
    cache_read_input_tokens: inputTokens.cacheRead ?? 0,
    cache_creation_input_tokens: inputTokens.cacheWrite ?? 0,
  };
}
