import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import type { Clock } from '../lib/clock.ts';
import type { Model, ModelEvent, ModelRequest } from '../protocol/index.ts';
import type { Endpoint } from './endpoints.ts';
import type { KnownModel } from './facts.ts';
import { type FailureContext, failureOf } from './failures.ts';
import { readAnswer } from './sdk-answer.ts';
import type { Fetch } from './transport.ts';

/** What every provider's adapter is made of. */
export interface ModelParts {
  endpoint: Endpoint;
  id: string;
  facts: KnownModel;
  fetch: Fetch;
  clock: Clock;
}

/** What differs between provider packages. */
export interface SdkAdapter {
  /** Imports the package; called for the first request. */
  load(): Promise<LanguageModelV4>;
  options(request: ModelRequest): LanguageModelV4CallOptions;
}

/** A model of an AI SDK provider package, behind our port. The package neither retries nor keeps anything. */
export function sdkModel({ endpoint, id, facts, clock }: ModelParts, adapter: SdkAdapter): Model {
  const secrets = [endpoint.key, endpoint.token].filter((secret) => secret !== undefined);
  const context: FailureContext = {
    provider: endpoint.provider,
    id,
    baseUrl: endpoint.baseUrl,
    secrets,
    clock,
  };
  const { adaptiveThinking: _, ...publicFacts } = facts;
  let loaded: Promise<LanguageModelV4> | undefined;
  return {
    id: `${endpoint.provider}/${id}`,
    facts: publicFacts,
    async *stream(request, signal) {
      const failed = (error: unknown): ModelEvent => {
        return { type: 'response_failed', failure: failureOf(error, context, signal) };
      };
      try {
        loaded ??= adapter.load();
        const options = { ...adapter.options(request), abortSignal: signal };
        const { stream } = await (await loaded).doStream(options);
        yield* readAnswer(partsOf(stream, signal), id, failed);
      } catch (error) {
        yield failed(error);
      }
    },
  };
}

/** Yields until the stream ends; throws at once when the signal fires, whatever the library is waiting for. */
async function* partsOf(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  signal: AbortSignal,
): AsyncGenerator<LanguageModelV4StreamPart> {
  const reader = stream.getReader();
  const abort = Promise.withResolvers<never>();
  const onAbort = () => abort.reject(signal.reason);
  abort.promise.catch(() => {});
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    if (signal.aborted) throw signal.reason;
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), abort.promise]);
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    reader.cancel().catch(() => {});
  }
}
