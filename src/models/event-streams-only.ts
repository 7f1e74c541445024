import { IncompleteAnswer } from './failures.ts';
import type { Fetch } from './transport.ts';

/** As in `sse.ts`, in bytes. */
const maxLineLength = 32 * 1024 * 1024;

/**
 * For libraries that take any successful response for an event stream and buffer lines of any length: tells a proxy's
 * page from a broken answer, and ends the answer at an endless line.
 */
export function eventStreamsOnly(fetch: Fetch): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (!response.ok || !response.body) return response;
    const type = response.headers.get('content-type') ?? 'nothing';
    if (!type.includes('text/event-stream')) {
      await response.body.cancel();
      throw new IncompleteAnswer(notAStream(type));
    }
    return new Response(response.body.pipeThrough(boundLines()), response);
  };
}

export function notAStream(type: string): string {
  return `Expected a stream of events, got ${type}. Check that this is the address of a model server.`;
}

function boundLines(): TransformStream<Uint8Array, Uint8Array> {
  let length = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const last = chunk.lastIndexOf(10);
      length = last < 0 ? length + chunk.length : chunk.length - last - 1;
      if (length > maxLineLength)
        controller.error(new IncompleteAnswer('A line of the answer is longer than 32 MB.'));
      else controller.enqueue(chunk);
    },
  });
}
