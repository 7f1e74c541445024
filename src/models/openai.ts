import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Model } from '../protocol/index.ts';
import { eventStreamsOnly } from './event-streams-only.ts';
import type { ModelParts } from './model-parts.ts';
import { responsesModel } from './openai-responses.ts';
import { sdkModel } from './sdk/model.ts';
import { functionTools, promptWriter } from './sdk/prompt.ts';

/** OpenAI's own models use the Responses API; all other such servers use Chat Completions. */
export function openaiModel(parts: ModelParts): Model {
  const isOpenaiItself = new URL(parts.endpoint.baseUrl).hostname === 'api.openai.com';
  return isOpenaiItself ? responsesModel(parts) : chatModel(parts);
}

/** A gateway or a local server. Signed thinking belongs to other providers; the server's own has no signature. */
function chatModel(parts: ModelParts): Model {
  const prompt = promptWriter({ provider: parts.endpoint.provider, keepsBareThinking: true });
  return sdkModel(parts, {
    load: () => loadChat(parts),
    options: (request) => ({
      prompt: prompt(request),
      tools: functionTools(request.tools),
      maxOutputTokens: request.maxOutputTokens,
    }),
  });
}

async function loadChat({ endpoint, id, fetch }: ModelParts): Promise<LanguageModelV4> {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const provider = createOpenAICompatible({
    name: 'openai',
    baseURL: endpoint.baseUrl,
    apiKey: endpoint.key || undefined,
    includeUsage: true,
    fetch: eventStreamsOnly(fetch) as typeof globalThis.fetch,
  });
  return provider.languageModel(id);
}
