import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Model } from '../protocol/index.ts';
import type { ModelParts } from './model-parts.ts';
import { openaiPrompt, openaiTools } from './openai-prompt.ts';
import { sdkModel } from './sdk-model.ts';

/** Any endpoint that speaks Chat Completions: OpenAI's own, a gateway, a local server. */
export function openaiModel(parts: ModelParts): Model {
  return sdkModel(parts, {
    load: () => loadOpenai(parts),
    options: (request) => ({
      prompt: openaiPrompt(request),
      tools: openaiTools(request.tools),
      maxOutputTokens: request.maxOutputTokens,
    }),
  });
}

async function loadOpenai({ endpoint, id, fetch }: ModelParts): Promise<LanguageModelV4> {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const provider = createOpenAICompatible({
    name: 'openai',
    baseURL: endpoint.baseUrl,
    ...(endpoint.key ? { apiKey: endpoint.key } : {}),
    includeUsage: true,
    fetch: fetch as typeof globalThis.fetch,
    ...(new URL(endpoint.baseUrl).hostname === 'api.openai.com'
      ? { transformRequestBody: forOpenaiItself }
      : {}),
  });
  return provider.languageModel(id);
}

/** OpenAI's newer models refuse `max_tokens`, and its API does not know `reasoning_content`; other servers know only these. */
function forOpenaiItself(body: Record<string, unknown>): Record<string, unknown> {
  const { max_tokens, messages, ...rest } = body;
  return {
    ...rest,
    max_completion_tokens: max_tokens,
    messages: (messages as object[]).map(withoutReasoning),
  };
}

function withoutReasoning(message: object): object {
  const { reasoning_content: _, ...rest } = message as { reasoning_content?: unknown };
  return rest;
}
