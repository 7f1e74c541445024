import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import type { Model, ModelEvent, ModelRequest } from '../../protocol/index.ts';
import { describeFailure, markUnanswered } from '../failures.ts';
import { limitEvents } from '../limits.ts';
import { buildModelParts, type ModelParts } from '../model-parts.ts';
import { silenceWithoutPingsMs, watchSilence } from '../silence.ts';
import { SdkAnswer } from './answer.ts';

/** The differences between provider packages. */
export interface SdkAdapter {
  /** Imports the package; called for the first request. */
  load(): Promise<LanguageModelV4>;
  options(request: ModelRequest): LanguageModelV4CallOptions;
}

/** As the library passes them on: with lower-case names. */
type Headers = Record<string, string | undefined>;

/** A model of an AI SDK provider package, behind our port. The package neither retries nor stores anything. */
export function sdkModel(given: ModelParts, adapter: SdkAdapter): Model {
  const { identity, context } = buildModelParts(given);
  const readLimitEvents = (headers: Headers = {}) => limitEvents((name) => headers[name], given.clock);
  let loaded: Promise<LanguageModelV4> | undefined;
  return {
    ...identity,
    async *stream(request, signal) {
      const answer = new SdkAnswer(given.id);
      const failed = (error: unknown): ModelEvent => {
        const said = describeFailure(error, context, signal);
        const failure = parts ? said : markUnanswered(said, silence.signal.aborted);
        return { type: 'response_failed', failure, usage: answer.usage };
      };
      const silence = watchSilence(signal, given.clock, silenceWithoutPingsMs);
      let parts: PartReader | undefined;
      try {
        loaded ??= adapter.load();
        const options = { ...adapter.options(request), abortSignal: silence.signal };
        const { stream, response } = await (await loaded).doStream(options);
        parts = readParts(stream, silence.signal);
        yield* readLimitEvents(response?.headers);
        for (let part = await parts.next(); part; part = await parts.next()) {
          silence.heard();
          for (const event of answer.take(part)) yield event;
          if (answer.failure) return yield failed(answer.failure);
          if (answer.isEnded) return;
        }
        yield failed(silence.signal.aborted ? silence.signal.reason : answer.brokenOff());
      } catch (error) {
        if (answer.isEnded) return;
        yield* readLimitEvents((error as { responseHeaders?: Headers } | null)?.responseHeaders);
        yield failed(silence.signal.aborted ? silence.signal.reason : error);
      } finally {
        silence.release();
        parts?.release();
      }
    },
  };
}

interface PartReader {
  /** Undefined at the end, and at once when the signal fires, whatever the library is waiting for. */
  next(): Promise<LanguageModelV4StreamPart | undefined>;
  release(): void;
}

function readParts(stream: ReadableStream<LanguageModelV4StreamPart>, signal: AbortSignal): PartReader {
  const reader = stream.getReader();
  // Cancelling ends a pending read; a race for every part would cost more than the part.
  const cancel = () => void reader.cancel().catch(() => {});
  signal.addEventListener('abort', cancel, { once: true });
  return {
    async next() {
      if (signal.aborted) return undefined;
      const { done, value } = await reader.read();
      return done ? undefined : value;
    },
    release() {
      signal.removeEventListener('abort', cancel);
      cancel();
    },
  };
}
