import { IncompleteAnswer } from './failures.ts';
import type { Fetch } from './transport.ts';

/** As in `sse.ts`, in bytes. */
const maxLineLength = 32 * 1024 * 1024;
/** Of a whole answer on the wire. The longest that a model can write is a few megabytes, and some wires repeat it. */
const maxAnswerBytes = 64 * 1024 * 1024;
/** Of the body of an error: more than any provider says. */
const maxRefusalBytes = 64 * 1024;

/**
 * For libraries that take any successful response for an event stream and buffer lines of any length: tells a proxy's
 * page from a broken answer, ends the answer at an endless line, and reads no more of an error than its beginning.
 */
export function eventStreamsOnly(fetch: Fetch): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (!response.ok) return new Response(await readRefusalText(response), response);
    if (!response.body) return response;
    const problem = findOtherType(response);
    if (problem !== undefined) {
      await response.body.cancel();
      throw new IncompleteAnswer(problem);
    }
    return new Response(response.body.pipeThrough(boundLines()), response);
  };
}

/** Why a successful response is not a stream of events; undefined if it says that it is one. */
export function findOtherType({ headers }: Response): string | undefined {
  const type = headers.get('content-type') || 'nothing';
  if (type.toLowerCase().includes('text/event-stream')) return undefined;
  return `Expected a stream of events, got ${type}. Check that this is the address of a model server.`;
}

/** The beginning of an error's body. What follows is not waited for. */
export async function readRefusalText(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of response.body ?? []) {
    pieces.push(piece.subarray(0, maxRefusalBytes - length));
    length += piece.length;
    if (length >= maxRefusalBytes) break;
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** Counts the bytes of an answer; ends it where no model would still be writing. */
export class AnswerBound {
  #bytes = 0;

  count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes <= maxAnswerBytes) return;
    throw new IncompleteAnswer('The answer is longer than 64 MB, so the rest was not read.');
  }
}

function boundLines(): TransformStream<Uint8Array, Uint8Array> {
  const bound = new AnswerBound();
  let length = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bound.count(chunk.length);
      const last = chunk.lastIndexOf(10);
      length = last < 0 ? length + chunk.length : chunk.length - last - 1;
      if (length > maxLineLength)
        controller.error(new IncompleteAnswer('A line of the answer is longer than 32 MB.'));
      else controller.enqueue(chunk);
    },
  });
}
