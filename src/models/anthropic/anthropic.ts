import { isRecord } from '../../lib/fields/field-values.ts';
import { parseJson } from '../../lib/fields/parse-json.ts';
import type { Model, ModelEvent, ModelRequest } from '../../protocol/index.ts';
import { AnswerBound, findOtherType, readRefusalText } from '../event-streams-only.ts';
import { describeFailure, IncompleteAnswer, markUnanswered } from '../failures.ts';
import { limitEvents } from '../limits.ts';
import { buildModelParts, type ModelParts } from '../model-parts.ts';
import { silenceWithPingsMs, watchSilence } from '../silence.ts';
import { EventStream } from '../sse.ts';
import { AnthropicAnswer } from './answer.ts';
import { anthropicBody, buildHeaders, describeRefusal } from './request.ts';

/**
 * The Messages API, spoken directly. Our messages already have its shape, and a library in between would cost more time
 * per turn than all our own work, and silently change thinking settings.
 */
export function anthropicModel(parts: ModelParts): Model {
  const { endpoint, id, facts } = parts;
  const { identity, context } = buildModelParts(parts);
  const send = (request: ModelRequest, signal: AbortSignal) =>
    parts.fetch(`${endpoint.baseUrl}/messages`, {
      method: 'POST',
      headers: buildHeaders(endpoint, 'text/event-stream'),
      body: anthropicBody(id, request, facts),
      signal,
    });
  return {
    ...identity,
    async *stream(request, signal) {
      const answer = new AnthropicAnswer(id);
      const silence = watchSilence(signal, parts.clock, silenceWithPingsMs);
      let isAnswered = false;
      const failed = (error: unknown): ModelEvent => {
        const said = describeFailure(error, context, signal);
        const failure = isAnswered ? said : markUnanswered(said, silence.signal.aborted);
        return { type: 'response_failed', failure, usage: answer.usage };
      };
      try {
        if (signal.aborted) return yield failed(signal.reason);
        const response = await send(request, silence.signal);
        silence.heard();
        yield* limitEvents((name) => response.headers.get(name), parts.clock);
        const refused = await readRefusal(response);
        if (refused) return yield failed(refused);
        isAnswered = true;
        const stream = new EventStream();
        const bound = new AnswerBound();
        for await (const bytes of response.body ?? []) {
          silence.heard();
          bound.count(bytes.length);
          for (const data of stream.push(bytes) ?? tooLarge()) {
            for (const ours of answer.take(parseEvent(data))) yield ours;
            if (answer.failure) return yield failed(answer.failure);
            if (answer.isEnded) return;
          }
        }
        yield failed(answer.brokenOff());
      } catch (error) {
        if (!answer.isEnded) yield failed(silence.signal.aborted ? silence.signal.reason : error);
      } finally {
        silence.release();
      }
    },
  };
}

/** The server's error, or why its answer is not a stream. */
async function readRefusal(response: Response): Promise<unknown> {
  if (!response.ok) return describeRefusal(response, await readRefusalText(response));
  const problem = findOtherType(response);
  if (problem === undefined) return undefined;
  await response.body?.cancel();
  return new IncompleteAnswer(problem);
}

function tooLarge(): never {
  throw new IncompleteAnswer('An event of the answer is larger than 32 MB.');
}

function parseEvent(data: string): Record<string, unknown> {
  const event = parseJson(data);
  if (isRecord(event)) return event;
  throw new IncompleteAnswer(`An event of the answer is not JSON: ${data.slice(0, 80)}`);
}
