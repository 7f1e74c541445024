import type {
  LanguageModelV2,
  LanguageModelV2StreamPart,
  LanguageModelV3,
  LanguageModelV3StreamPart,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';

export type AnyLanguageModel = LanguageModelV2 | LanguageModelV3 | LanguageModelV4;

export function isLanguageModel(value: unknown): value is AnyLanguageModel {
  const { specificationVersion, doStream } = (value ?? {}) as Record<string, unknown>;
  return /^v[234]$/.test(String(specificationVersion)) && typeof doStream === 'function';
}

/** Packages outlive the interface they were written for: older ones are called through their own. */
export function asLatest(model: AnyLanguageModel): LanguageModelV4 {
  if (model.specificationVersion === 'v4') return model;
  const older = model as Older;
  return {
    specificationVersion: 'v4',
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: {},
    // Cadre streams every answer.
    doGenerate: () => Promise.reject(new Error('not used')),
    async doStream(options) {
      const result = await older.doStream(olderOptions(options));
      const convert = new TransformStream<OlderPart, LanguageModelV4StreamPart>({
        transform: (part, controller) => controller.enqueue(latestPart(part)),
      });
      return { ...result, stream: result.stream.pipeThrough(convert) };
    },
  };
}

type OlderPart = LanguageModelV2StreamPart | LanguageModelV3StreamPart;

interface Older {
  doStream(options: object): PromiseLike<{ stream: ReadableStream<OlderPart> }>;
}

/** Everything we send is the same except for files, which had no tag before. */
function olderOptions(options: LanguageModelV4CallOptions): object {
  return { ...options, prompt: options.prompt.map(olderMessage) };
}

function olderMessage(message: LanguageModelV4Message): object {
  if (message.role !== 'user') return message;
  const content = message.content.map((part) =>
    part.type === 'file' && part.data.type === 'data' ? { ...part, data: part.data.data } : part,
  );
  return { ...message, content };
}

function latestPart(part: OlderPart): LanguageModelV4StreamPart {
  if (part.type !== 'finish') return part as LanguageModelV4StreamPart;
  const { finishReason, usage } = part;
  const reason =
    typeof finishReason === 'string'
      ? { unified: finishReason === 'unknown' ? ('interrupted' as const) : finishReason, raw: finishReason }
      : finishReason;
  return { type: 'finish', finishReason: reason, usage: latestUsage(usage) };
}

type Usage = Extract<OlderPart, { type: 'finish' }>['usage'];
type LatestUsage = Extract<LanguageModelV4StreamPart, { type: 'finish' }>['usage'];

function latestUsage(usage: Usage): LatestUsage {
  if (typeof usage.inputTokens === 'object') return usage as LatestUsage;
  const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens } = usage as Extract<
    Usage,
    { totalTokens: unknown }
  >;
  return {
    inputTokens: {
      total: inputTokens,
      noCache: inputTokens === undefined ? undefined : inputTokens - (cachedInputTokens ?? 0),
      cacheRead: cachedInputTokens,
      cacheWrite: undefined,
    },
    outputTokens: { total: outputTokens, text: undefined, reasoning: reasoningTokens },
  };
}
