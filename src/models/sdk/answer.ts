import type { LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider';
import type { ModelEvent, StopReason, Usage } from '../../protocol/index.ts';
import { AnswerBlocks } from '../answer-blocks.ts';
import { BrokenOff, IncompleteAnswer } from '../failures.ts';

type Part = LanguageModelV4StreamPart;
type Finish = Extract<Part, { type: 'finish' }>;

/**
 * Turns the library's stream parts into our events, one answer long. It is over when it `isEnded`, with
 * `response_ended` as its last event, or when there is a `failure`.
 */
export class SdkAnswer {
  readonly #blocks = new AnswerBlocks();
  #started: { id: string; model: string } | undefined;
  /** The provider's counts; undefined until it reports them, which is at the end. */
  usage: Usage | undefined;
  failure: unknown;
  isEnded = false;

  constructor(private readonly model: string) {}

  take(part: Part): ModelEvent[] {
    if (part.type === 'error') return this.#fail(isCut(part.error) ? this.brokenOff() : part.error);
    if (part.type === 'finish') return this.#finish(part);
    const lost = lostContent(part);
    if (lost) return this.#fail(new IncompleteAnswer(`The request could not be sent in full: ${lost}`));
    const events = this.#blocks.take(part);
    return this.#started || (part.type !== 'response-metadata' && events.length === 0)
      ? events
      : [this.#start(part), ...events];
  }

  brokenOff(): IncompleteAnswer {
    return new BrokenOff();
  }

  #start(part?: Part): ModelEvent {
    const { id = '', modelId = this.model } = part?.type === 'response-metadata' ? part : {};
    this.#started = { id, model: modelId };
    return { type: 'response_started', ...this.#started };
  }

  #finish(part: Finish): ModelEvent[] {
    const stop = stopReason(part);
    const usage = convertUsage(part.usage);
    this.usage = usage;
    if (stop === undefined) return this.#fail(this.brokenOff());
    const { events, content } = this.#blocks.finish(stop);
    if (typeof content === 'string') return [...events, ...this.#fail(new IncompleteAnswer(content))];
    if (!this.#started) events.unshift(this.#start());
    const calls = content.some((block) => block.type === 'tool_use');
    const message = {
      role: 'assistant' as const,
      ...(this.#started ?? { id: '', model: this.model }),
      content,
      stop_reason: calls && stop === 'end_turn' ? ('tool_use' as const) : stop,
      usage,
    };
    this.isEnded = true;
    return [...events, { type: 'response_ended', message }];
  }

  #fail(failure: unknown): ModelEvent[] {
    this.failure = failure;
    return [];
  }
}

/** The library's message for a stream that just stops. */
function isCut(error: unknown): boolean {
  return error instanceof Error && /stream ended without a finish reason/i.test(error.message);
}

/** The library only warns when it leaves something out; we must not ignore that. */
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

function convertUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage {
  return {
    input_tokens: count(inputTokens.noCache ?? inputTokens.total),
    output_tokens: count(outputTokens.total),
    cache_read_input_tokens: count(inputTokens.cacheRead),
    cache_creation_input_tokens: count(inputTokens.cacheWrite),
  };
}

/** A server's counts may be anything, and a bill is made of them. */
function count(given: number | undefined): number {
  return given !== undefined && Number.isSafeInteger(given) && given > 0 ? given : 0;
}
