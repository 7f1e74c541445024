import { failure, ok, type Result } from '../lib/result.ts';
import { type Fetch, openTransport } from '../models/transport.ts';
import { largestMessage } from './message-lines.ts';

/**
 * `fetch` for MCP servers: through the user's proxy, following no redirect, since headers and tokens are for the address
 * that was configured, and with no message larger than one may be.
 */
export function openFetch(environment: Readonly<Record<string, string | undefined>>): Result<Fetch> {
  const opened = openTransport(environment as Record<string, string>);
  if (!opened.ok) return failure(opened.problem.message, opened.problem.hint);
  return ok(async (url, init) => bounded(await opened.value(url, init)));
}

/** Counts from the last line break of an event stream, and over all of any other body. */
export function bounded(response: Response, largest = largestMessage): Response {
  if (!response.body) return response;
  const isStream = response.headers.get('content-type')?.includes('text/event-stream') === true;
  let size = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const at = isStream ? chunk.lastIndexOf(10) : -1;
      size = at === -1 ? size + chunk.length : chunk.length - at - 1;
      if (size > largest) controller.error(new Error(`It sent a message of more than ${largest} bytes.`));
      else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  const copy = new Response(response.body.pipeThrough(counter), { status, statusText, headers });
  Object.defineProperty(copy, 'url', { value: response.url });
  return copy;
}
