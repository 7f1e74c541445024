import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { EffortLevel } from '../protocol/effort.ts';
import type { Model, ModelRequest } from '../protocol/index.ts';
import { closestEffort } from './effort.ts';
import { eventStreamsOnly } from './event-streams-only.ts';
import type { KnownModel } from './facts.ts';
import type { ModelParts } from './model-parts.ts';
import { sdkModel } from './sdk/model.ts';
import { type AssistantParts, functionTools, promptWriter } from './sdk/prompt.ts';
import { keepProofs, withStream } from './sdk/proof.ts';

/**
 * OpenAI's Responses API. Nothing is stored there: its thinking comes to us encrypted and goes back with the next
 * request.
 */
export function responsesModel(parts: ModelParts): Model {
  const prompt = promptWriter({
    ...{ provider: 'openai', keepsBareThinking: false, hasPlainIds: true, settle: keepSealed },
  });
  return sdkModel(parts, {
    load: async () => keepProofs(tolerateMissingSummaries(await loadOpenai(parts)), 'openai'),
    options: (request) => ({
      prompt: prompt(request),
      tools: functionTools(request.tools),
      maxOutputTokens: request.maxOutputTokens,
      providerOptions: { openai: { store: false, ...convertThinking(request, parts.facts) } },
    }),
  });
}

async function loadOpenai({ endpoint, id, fetch }: ModelParts): Promise<LanguageModelV4> {
  const { createOpenAI } = await import('@ai-sdk/openai');
  const provider = createOpenAI({
    baseURL: endpoint.baseUrl,
    apiKey: endpoint.key ?? '',
    fetch: eventStreamsOnly(fetch) as typeof globalThis.fetch,
  });
  return provider.responses(id);
}

type Options = { reasoningSummary: 'auto' | null; reasoningEffort?: 'none' | EffortLevel };

/** Without an effort the model uses its default; only a summary of thinking can be seen. */
function convertThinking({ thinking, effort }: ModelRequest, facts: KnownModel): Options {
  const off = thinking.type === 'off' && facts.thinking.includes('off') ? ('none' as const) : undefined;
  const level = closestEffort(effort, facts.efforts) ?? off;
  return {
    reasoningSummary: thinking.type !== 'off' && facts.thinking.length > 0 ? 'auto' : null,
    reasoningEffort: level,
  };
}

/** Accounts that are not verified get an error when they ask for summaries. They think anyway. */
function tolerateMissingSummaries(model: LanguageModelV4): LanguageModelV4 {
  let isRefused = false;
  return withStream(model, async (options) => {
    if (isRefused) return model.doStream(withoutSummary(options));
    try {
      return await model.doStream(options);
    } catch (error) {
      const said = (error as { responseBody?: unknown } | null)?.responseBody;
      if (typeof said !== 'string' || !said.includes('reasoning.summary')) throw error;
      isRefused = true;
      return model.doStream(withoutSummary(options));
    }
  });
}

function withoutSummary(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  const openai = { ...options.providerOptions?.openai, reasoningSummary: null };
  return { ...options, providerOptions: { ...options.providerOptions, openai } };
}

/**
 * Thinking without its encrypted content cannot go back, since it is not stored; and thinking that no text or call
 * follows, as in a cut-off answer, is refused.
 */
function keepSealed(parts: AssistantParts): AssistantParts {
  const items = parts.map((part) => (part.type === 'reasoning' ? (part.providerOptions?.openai ?? {}) : {}));
  const sealed = new Set(items.filter((item) => item.reasoningEncryptedContent).map((item) => item.itemId));
  const kept = parts.filter((part, index) => part.type !== 'reasoning' || sealed.has(items[index]?.itemId));
  const end = kept.findLastIndex((part) => part.type !== 'reasoning') + 1;
  return kept.slice(0, end);
}
