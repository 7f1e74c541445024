import type { ServerResponse } from 'node:http';
import { type Clock, sleep } from '../../lib/clock.ts';
import type { ModelFailure } from '../../protocol/index.ts';
import type { FailureTurn, RawTurn } from '../turns.ts';
import { chooseStatus, type Dialect } from './dialect.ts';
import type { WireStream } from './faults.ts';
import { sendJson } from './http.ts';

export function sendFailure(
  dialect: Dialect,
  response: ServerResponse,
  { failure, headers }: FailureTurn,
): void {
  const status = chooseStatus(failure);
  sendJson(response, status, dialect.error(failure, status), { ...retryHeaders(failure), ...headers });
}

export function sendRaw(response: ServerResponse, { raw }: RawTurn): void {
  response.writeHead(raw.status ?? 200, raw.headers ?? {});
  response.end(raw.body ?? '');
}

/** Without `ends` the stream stays open after its last piece. */
export async function sendStream(
  response: ServerResponse,
  stream: WireStream,
  { clock, betweenMs, gone, ends }: { clock: Clock; betweenMs: number; gone: AbortSignal; ends: boolean },
): Promise<void> {
  const pauseMs = Math.max(betweenMs, stream.pauseMs);
  response.writeHead(200, {
    'content-type': stream.contentType,
    'cache-control': 'no-cache',
    // So that a test can tell silence from slowness.
    ...(stream.silentAfterBytes === undefined ? {} : { 'x-silent': String(stream.silentAfterBytes) }),
  });
  response.flushHeaders();
  for (const piece of stream.pieces) {
    if (pauseMs > 0) await sleep(clock, pauseMs, gone);
    if (gone.aborted) return;
    if (!response.write(piece)) await drained(response, gone);
  }
  if (stream.resets) await reset(response);
  else if (ends && stream.silentAfterBytes === undefined) response.end();
}

/** Written data must be sent first, or a broken connection would drop it. */
async function reset(response: ServerResponse): Promise<void> {
  await new Promise<void>((resolve) => response.write('', () => setImmediate(resolve)));
  response.socket?.resetAndDestroy();
}

/** A slow or finished reader decides the pace. */
function drained(response: ServerResponse, gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done);
      gone.removeEventListener('abort', done);
      resolve();
    };
    if (gone.aborted) return resolve();
    response.once('drain', done);
    gone.addEventListener('abort', done, { once: true });
  });
}

function retryHeaders({ retryAfterMs }: ModelFailure): Record<string, string> {
  if (retryAfterMs === undefined) return {};
  return { 'retry-after': String(Math.ceil(retryAfterMs / 1000)), 'retry-after-ms': String(retryAfterMs) };
}
