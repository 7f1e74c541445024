import { failure, ok, type Result } from '../../lib/result.ts';
import { type Fetch, openTransport } from '../../models/transport.ts';
import { EventFilter } from './event-filter.ts';
import { maxMessageSize } from './message-lines.ts';
import type { MessageRate } from './message-rate.ts';
import { repairBody } from './repair-answer.ts';

/**
 * `fetch` for MCP servers: through the user's proxy, without following redirects, since headers and tokens are for the
 * configured address, and with limits on the size and number of messages.
 */
export function openFetch(
  environment: Readonly<Record<string, string | undefined>>,
  rate: MessageRateLike = unlimited,
): Result<Fetch> {
  const opened = openTransport(environment as Record<string, string>);
  if (!opened.ok) return failure(opened.problem.message, opened.problem.hint);
  return ok(async (url, init) => {
    if (rate.offence !== undefined) throw new Error(rate.offence);
    return bounded(await opened.value(url, init), rate);
  });
}

export type MessageRateLike = Pick<MessageRate, 'allows' | 'allowsPending' | 'offence'>;

/** For bodies that are not a stream of messages. */
export const unlimited: MessageRateLike = {
  offence: undefined,
  allows: () => true,
  allowsPending: () => true,
};

/** Counts per event in an event stream, and in total for any other body. */
export function bounded(response: Response, rate: MessageRateLike, largest = maxMessageSize): Response {
  if (!response.body) return response;
  const type = response.headers.get('content-type') ?? '';
  const isStream = type.includes('text/event-stream');
  const counter = new TransformStream(
    isStream
      ? eventBounds(new EventFilter(rate, largest), rate)
      : sizeBound(largest, type.includes('application/json')),
  );
  const { status, statusText, headers } = response;
  const copy = new Response(response.body.pipeThrough(counter), { status, statusText, headers });
  Object.defineProperty(copy, 'url', { value: response.url });
  return copy;
}

function eventBounds(filter: EventFilter, rate: MessageRateLike): Transformer<Uint8Array, Uint8Array> {
  return {
    async transform(chunk, controller) {
      const events = filter.add(chunk);
      if (!events) return controller.error(new Error(rate.offence ?? 'The connection was closed.'));
      for (const event of events) controller.enqueue(event);
      // Yields to other work, however fast data comes.
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

/** JSON is one message, which may have to be repaired: it is passed on at its end. */
function sizeBound(largest: number, isMessage: boolean): Transformer<Uint8Array, Uint8Array> {
  const held: Uint8Array[] = [];
  let size = 0;
  return {
    transform(chunk, controller) {
      size += chunk.length;
      if (size > largest) controller.error(new Error(`It sent a message of more than ${largest} bytes.`));
      else if (isMessage) held.push(chunk);
      else controller.enqueue(chunk);
    },
    flush(controller) {
      if (held.length > 0) controller.enqueue(repairBody(Buffer.concat(held)));
    },
  };
}
