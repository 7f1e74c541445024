import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { Model, ModelRequest } from '../protocol/index.ts';
import { anthropicPrompt, anthropicTools } from './anthropic-prompt.ts';
import type { KnownModel } from './facts.ts';
import { type ModelParts, sdkModel } from './sdk-model.ts';

export function anthropicModel(parts: ModelParts): Model {
  return sdkModel(parts, {
    load: () => loadAnthropic(parts),
    options: (request) => callOptions(request, parts.facts),
  });
}

async function loadAnthropic({ endpoint, id, fetch }: ModelParts): Promise<LanguageModelV4> {
  const { createAnthropic } = await import('@ai-sdk/anthropic');
  const { baseUrl: baseURL, key, token } = endpoint;
  // The library looks for a key in the environment unless it is given one.
  const credentials = token ? { authToken: token } : { apiKey: key ?? 'none' };
  return createAnthropic({ baseURL, ...credentials, fetch: fetch as typeof globalThis.fetch })(id);
}

function callOptions(request: ModelRequest, facts: KnownModel): LanguageModelV4CallOptions {
  const { budget, thinking } = thinkingOption(request, facts);
  return {
    prompt: anthropicPrompt(request),
    tools: anthropicTools(request.tools),
    // The library adds the thinking budget to this; for the provider, and for us, it is a part of it.
    maxOutputTokens: request.maxOutputTokens - budget,
    // Without `toolStreaming` the provider checks a tool's input before it sends it.
    providerOptions: { anthropic: { toolStreaming: false, ...(thinking ? { thinking } : {}) } },
  };
}

type ThinkingOption = { type: 'disabled' } | { type: 'adaptive' } | { type: 'enabled'; budgetTokens: number };

function thinkingOption(
  { thinking, maxOutputTokens }: ModelRequest,
  facts: KnownModel,
): { budget: number; thinking?: ThinkingOption } {
  if (!facts.thinking) return { budget: 0 };
  if (thinking.type === 'off') return { budget: 0, thinking: { type: 'disabled' } };
  if (thinking.type === 'adaptive' && facts.adaptiveThinking)
    return { budget: 0, thinking: { type: 'adaptive' } };
  const wanted = thinking.type === 'budget' ? thinking.tokens : Math.floor(maxOutputTokens / 2);
  const budget = Math.min(Math.max(wanted, leastBudget), maxOutputTokens - leastBudget);
  if (budget < leastBudget) return { budget: 0, thinking: { type: 'disabled' } };
  return { budget, thinking: { type: 'enabled', budgetTokens: budget } };
}

/** The provider's own lower limit, and what we leave for the answer. */
const leastBudget = 1_024;
