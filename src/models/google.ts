import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { EffortLevel } from '../protocol/effort.ts';
import type { Model, ModelRequest } from '../protocol/index.ts';
import { closestEffort } from './effort.ts';
import { eventStreamsOnly } from './event-streams-only.ts';
import type { KnownModel } from './facts.ts';
import { googleRefusal } from './google-refusal.ts';
import type { ModelParts } from './model-parts.ts';
import { sdkModel } from './sdk/model.ts';
import { functionTools, promptWriter } from './sdk/prompt.ts';
import { keepProofs, withStream } from './sdk/proof.ts';

/** The Gemini API. Its thoughts and calls are signed, and the signatures go back with them. */
export function googleModel(parts: ModelParts): Model {
  const prompt = promptWriter({ provider: 'google', keepsBareThinking: false });
  return sdkModel(parts, {
    load: async () => keepProofs(explained(await loadGoogle(parts)), 'google'),
    options: (request) => ({
      prompt: prompt(request),
      tools: functionTools(request.tools),
      maxOutputTokens: request.maxOutputTokens,
      providerOptions: { google: convertThinking(request, parts.facts) },
    }),
  });
}

async function loadGoogle({ endpoint, id, fetch }: ModelParts): Promise<LanguageModelV4> {
  const { createGoogle } = await import('@ai-sdk/google');
  const provider = createGoogle({
    baseURL: endpoint.baseUrl,
    apiKey: endpoint.key ?? 'none',
    fetch: eventStreamsOnly(fetch) as typeof globalThis.fetch,
  });
  return provider.languageModel(id);
}

type ThinkingConfig = { includeThoughts?: true; thinkingBudget?: number; thinkingLevel?: EffortLevel };

function convertThinking(
  { thinking, effort }: ModelRequest,
  facts: KnownModel,
): { thinkingConfig?: ThinkingConfig } {
  if (facts.thinking.length === 0) return {};
  const thinkingLevel = closestEffort(effort, facts.efforts);
  if (thinking.type === 'off' && facts.thinking.includes('off'))
    return { thinkingConfig: { thinkingBudget: 0 } };
  if (thinking.type === 'off')
    return thinkingLevel === undefined ? {} : { thinkingConfig: { thinkingLevel } };
  const budget =
    thinking.type === 'budget' && facts.thinking.includes('budget')
      ? { thinkingBudget: thinking.tokens }
      : {};
  const level = thinkingLevel === undefined ? {} : { thinkingLevel };
  return { thinkingConfig: { includeThoughts: true, ...budget, ...level } };
}

/** Google's refusals in the form that all failures are read by, and without a needless warning. */
function explained(model: LanguageModelV4): LanguageModelV4 {
  return withStream(model, async (options) => {
    try {
      const result = await model.doStream(options);
      return { ...result, stream: result.stream.pipeThrough(quietStart()) };
    } catch (error) {
      throw googleRefusal(error);
    }
  });
}

type Part =
  Awaited<ReturnType<LanguageModelV4['doStream']>>['stream'] extends ReadableStream<infer P> ? P : never;

/**
 * Calls that another model made, earlier in the session, have no signature. The library marks them for the provider as
 * intended, and warns; nothing is lost.
 */
function quietStart(): TransformStream<Part, Part> {
  return new TransformStream({
    transform(part, controller) {
      if (part.type !== 'stream-start') return controller.enqueue(part);
      const warnings = part.warnings.filter(
        (warning) =>
          warning.type !== 'other' || !warning.message.includes('skip_thought_signature_validator'),
      );
      controller.enqueue({ ...part, warnings });
    },
  });
}
